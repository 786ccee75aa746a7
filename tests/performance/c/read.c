/* Reading a log as good C does it: in one pass, record by record.
 *
 * As in pymavlink, an unexpected byte or an unknown id moves it on by one byte. An id keeps its first definition, so
 * that all of its records are alike. It accepts any bytes, up to 4 GiB of them. For little-endian machines. */

#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define HEAD 0x95A3 /* A3 95 */
#define HEADER 3
#define FMT 128
#define FIELDS 16
#define IDS 256

/* Payload of an FMT record; characters only, so that it may stand anywhere. */
struct fmt {
    uint8_t id, length;
    char name[4], format[FIELDS], labels[64];
};

static const struct fmt FMT_OF_FMT = {
    FMT, HEADER + sizeof(struct fmt), "FMT", "BBnNZ", "Type,Length,Name,Format,Columns",
};

/* Bytes of a format character in a record; 0 for an unknown one. */
static const uint8_t SIZE[256] = {
    ['a'] = 64, ['b'] = 1, ['B'] = 1, ['c'] = 2, ['C'] = 2, ['d'] = 8,  ['e'] = 4,
    ['E'] = 4,  ['f'] = 4, ['g'] = 2, ['h'] = 2, ['H'] = 2, ['i'] = 4,  ['I'] = 4,
    ['L'] = 4,  ['M'] = 1, ['n'] = 4, ['N'] = 16, ['q'] = 8, ['Q'] = 8, ['Z'] = 64,
};

static int is_number(char format)
{
    return !strchr("nNZa", format);
}

#define LOAD(type)                                       \
    static inline type load_##type(const uint8_t *bytes) \
    {                                                    \
        type value;                                      \
        memcpy(&value, bytes, sizeof value);             \
        return value;                                    \
    }
LOAD(int16_t)
LOAD(uint16_t)
LOAD(int32_t)
LOAD(uint32_t)
LOAD(int64_t)
LOAD(uint64_t)
LOAD(float)
LOAD(double)

static void *resized(void *memory, size_t bytes)
{
    memory = realloc(memory, bytes);
    if (!memory) {
        abort();
    }
    return memory;
}

static void *zeroed(size_t bytes)
{
    return memset(resized(NULL, bytes), 0, bytes);
}

/* Every reading pays for its memory as the first one of a process does: freed memory goes back to the system. */
void read_with_fresh_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}

/* Offset of the first whole record with a known id from `at` on; `length` if there is none. */
static inline size_t next_record(const uint8_t lengths[IDS], const uint8_t *restrict log, size_t length, size_t at)
{
    while (length - at >= HEADER) {
        size_t bytes = lengths[log[at + 2]];
        if (load_uint16_t(log + at) == HEAD && bytes != 0 && bytes <= length - at) {
            return at;
        }
        at++;
    }
    return length;
}

/* Learns the definition in a record, if it is the first of its id. */
static inline const struct fmt *learn(uint8_t lengths[IDS], const uint8_t *record)
{
    if (record[2] != FMT) {
        return NULL;
    }
    const struct fmt *fmt = (const struct fmt *)(record + HEADER);
    if (lengths[fmt->id] != 0 || fmt->length < HEADER) {
        return NULL;
    }
    lengths[fmt->id] = fmt->length;
    return fmt;
}

/* The index: where the records of each id stand. */

struct offsets {
    uint32_t *at;
    uint32_t count, room;
};

struct index {
    struct offsets of[IDS];
    const struct fmt *fmt[IDS];
};

static void grow_offsets(struct offsets *offsets)
{
    offsets->room = offsets->room ? 2 * offsets->room : 64;
    offsets->at = resized(offsets->at, offsets->room * sizeof *offsets->at);
}

struct index *read_index(const uint8_t *restrict log, size_t length)
{
    struct index *index = zeroed(sizeof *index);
    uint8_t lengths[IDS] = {[FMT] = HEADER + sizeof(struct fmt)};
    index->fmt[FMT] = &FMT_OF_FMT;
    for (size_t at = 0; (at = next_record(lengths, log, length, at)) < length; at += lengths[log[at + 2]]) {
        const struct fmt *fmt = learn(lengths, log + at);
        if (fmt) {
            index->fmt[fmt->id] = fmt;
        }
        struct offsets *offsets = &index->of[log[at + 2]];
        if (offsets->count == offsets->room) {
            grow_offsets(offsets);
        }
        offsets->at[offsets->count++] = (uint32_t)at;
    }
    return index;
}

void read_index_free(struct index *index)
{
    for (size_t id = 0; id < IDS; id++) {
        free(index->of[id].at);
    }
    free(index);
}

const uint32_t *read_offsets(const struct index *index, uint8_t id, size_t *count)
{
    *count = index->of[id].count;
    return index->of[id].at;
}

/* A typed scan through the index. */

struct __attribute__((packed)) att {
    uint8_t header[HEADER];
    uint64_t time_us;
    int16_t des_roll, roll, des_pitch, pitch;
    uint16_t des_yaw, yaw, error_roll_pitch, error_yaw;
    uint8_t active_ekf;
};

/* The records of ATT, if the log has them as above. */
const uint32_t *read_att(const struct index *index, size_t *count)
{
    for (size_t id = 0; id < IDS; id++) {
        const struct fmt *fmt = index->fmt[id];
        if (fmt && fmt->length == sizeof(struct att) && strncmp(fmt->name, "ATT", sizeof fmt->name) == 0 &&
            strncmp(fmt->format, "QccccCCCCB", sizeof fmt->format) == 0) {
            return read_offsets(index, (uint8_t)id, count);
        }
    }
    *count = 0;
    return NULL;
}

uint64_t read_sum_att(const uint8_t *restrict log, const uint32_t *restrict offsets, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct att *att = (const struct att *)(log + offsets[i]);
        sum += att->time_us + (uint64_t)att->roll + (uint64_t)att->pitch + att->yaw;
    }
    return sum;
}

/* Columns: an array for each field of each id. All columns of an id grow together, with one comparison a record. */

struct type {
    uint8_t fields;
    char format[FIELDS];
    size_t rows, room;
    void *columns[FIELDS];
};

struct table {
    struct type of[IDS];
    int doubles;
};

/* Bytes of a value in a column of native values, and in one of doubles. Text and arrays stay as they are. */
static size_t width_of(char format, int doubles)
{
    return doubles && is_number(format) ? sizeof(double) : SIZE[(uint8_t)format];
}

/* Fields beyond the end of a short record, or after an unknown character, are left out. */
static void define(struct type *type, const struct fmt *fmt)
{
    size_t end = HEADER;
    while (type->fields < FIELDS) {
        char format = fmt->format[type->fields];
        size_t size = SIZE[(uint8_t)format];
        if (size == 0 || end + size > fmt->length) {
            break;
        }
        type->format[type->fields++] = format;
        end += size;
    }
}

static void grow_columns(struct type *type, int doubles)
{
    type->room = type->room ? 2 * type->room : 64;
    for (size_t i = 0; i < type->fields; i++) {
        type->columns[i] = resized(type->columns[i], type->room * width_of(type->format[i], doubles));
    }
}

#define COPY(size)                                               \
    do {                                                         \
        memcpy((uint8_t *)column + row * (size), bytes, (size)); \
        return (size);                                           \
    } while (0)

/* Both store a field's value in its column and return the field's bytes in the record. */
static inline size_t store_native(void *restrict column, size_t row, char format, const uint8_t *restrict bytes)
{
    switch (SIZE[(uint8_t)format]) {
    case 1:
        COPY(1);
    case 2:
        COPY(2);
    case 4:
        COPY(4);
    case 8:
        COPY(8);
    case 16:
        COPY(16);
    default:
        COPY(64);
    }
}

static double half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                   : exponent     ? ldexp(fraction + 1024, exponent - 25)
                                  : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

#define NUMBER(size, value)                \
    do {                                   \
        ((double *)column)[row] = (value); \
        return (size);                     \
    } while (0)

static inline size_t store_double(void *restrict column, size_t row, char format, const uint8_t *restrict bytes)
{
    switch (format) {
    case 'b':
        NUMBER(1, (int8_t)*bytes);
    case 'B': case 'M':
        NUMBER(1, *bytes);
    case 'c':
        NUMBER(2, load_int16_t(bytes) / 100.0);
    case 'C':
        NUMBER(2, load_uint16_t(bytes) / 100.0);
    case 'd':
        NUMBER(8, load_double(bytes));
    case 'e':
        NUMBER(4, load_int32_t(bytes) / 100.0);
    case 'E':
        NUMBER(4, load_uint32_t(bytes) / 100.0);
    case 'f':
        NUMBER(4, load_float(bytes));
    case 'g':
        NUMBER(2, half(load_uint16_t(bytes)));
    case 'h':
        NUMBER(2, load_int16_t(bytes));
    case 'H':
        NUMBER(2, load_uint16_t(bytes));
    case 'i':
        NUMBER(4, load_int32_t(bytes));
    case 'I':
        NUMBER(4, load_uint32_t(bytes));
    case 'L':
        NUMBER(4, load_int32_t(bytes) / 1e7);
    case 'q':
        NUMBER(8, (double)load_int64_t(bytes));
    case 'Q':
        NUMBER(8, (double)load_uint64_t(bytes));
    case 'n':
        COPY(4);
    case 'N':
        COPY(16);
    default: /* a Z */
        COPY(64);
    }
}

/* Inlined twice, so that neither copy decides for each value which kind it is. */
static inline __attribute__((always_inline)) struct table *read_table(const uint8_t *restrict log, size_t length,
                                                                      int doubles)
{
    struct table *table = zeroed(sizeof *table);
    table->doubles = doubles;
    uint8_t lengths[IDS] = {[FMT] = HEADER + sizeof(struct fmt)};
    define(&table->of[FMT], &FMT_OF_FMT);
    for (size_t at = 0; (at = next_record(lengths, log, length, at)) < length; at += lengths[log[at + 2]]) {
        const struct fmt *fmt = learn(lengths, log + at);
        if (fmt) {
            define(&table->of[fmt->id], fmt);
        }
        struct type *type = &table->of[log[at + 2]];
        if (type->rows == type->room) {
            grow_columns(type, doubles);
        }
        size_t row = type->rows++;
        const uint8_t *bytes = log + at + HEADER;
        for (size_t i = 0, fields = type->fields; i < fields; i++) {
            bytes += doubles ? store_double(type->columns[i], row, type->format[i], bytes)
                             : store_native(type->columns[i], row, type->format[i], bytes);
        }
    }
    return table;
}

struct table *read_columns(const uint8_t *restrict log, size_t length)
{
    return read_table(log, length, 0);
}

struct table *read_f64(const uint8_t *restrict log, size_t length)
{
    return read_table(log, length, 1);
}

void read_columns_free(struct table *table)
{
    for (size_t id = 0; id < IDS; id++) {
        for (size_t i = 0; i < table->of[id].fields; i++) {
            free(table->of[id].columns[i]);
        }
    }
    free(table);
}

/* A column and its bytes; NULL if there is no such column, or if it is empty. */
const void *read_column(const struct table *table, uint8_t id, size_t field, size_t *bytes)
{
    const struct type *type = &table->of[id];
    if (field >= type->fields) {
        return NULL;
    }
    *bytes = type->rows * width_of(type->format[field], table->doubles);
    return type->columns[field];
}

/* One column of a file, as doubles. */

struct column {
    double *values;
    size_t count, room;
};

/* Where the field with a label stands in a record, and its format character; 0 if there is no such number. */
static size_t find_field(const struct fmt *fmt, const char *label, char *format)
{
    size_t at = HEADER, end = 0;
    for (size_t i = 0; i < FIELDS; i++) {
        size_t start = end, size = SIZE[(uint8_t)fmt->format[i]];
        while (end < sizeof fmt->labels && fmt->labels[end] != ',' && fmt->labels[end] != 0) {
            end++;
        }
        if (size == 0 || at + size > fmt->length || start >= sizeof fmt->labels) {
            return 0;
        }
        if (end - start == strlen(label) && memcmp(fmt->labels + start, label, end - start) == 0) {
            *format = fmt->format[i];
            return is_number(*format) ? at : 0;
        }
        at += size;
        end++;
    }
    return 0;
}

static void read_one(struct column *column, const uint8_t *restrict log, size_t length, const char *name,
                     const char *label)
{
    uint8_t lengths[IDS] = {[FMT] = HEADER + sizeof(struct fmt)};
    int wanted = -1;
    size_t field = 0;
    char format = 0;
    for (size_t at = 0; (at = next_record(lengths, log, length, at)) < length; at += lengths[log[at + 2]]) {
        const struct fmt *fmt = learn(lengths, log + at);
        if (fmt && strncmp(fmt->name, name, sizeof fmt->name) == 0 && (field = find_field(fmt, label, &format)) != 0) {
            wanted = fmt->id;
        }
        if (log[at + 2] != wanted) {
            continue;
        }
        if (column->count == column->room) {
            column->room = column->room ? 2 * column->room : 64;
            column->values = resized(column->values, column->room * sizeof *column->values);
        }
        store_double(column->values, column->count++, format, log + at + field);
    }
}

/* NULL if the file can't be mapped. */
struct column *read_file_column(const char *path, const char *name, const char *label)
{
    struct column *column = NULL;
    int file = open(path, O_RDONLY);
    if (file < 0) {
        return NULL;
    }
    struct stat stat;
    if (fstat(file, &stat) == 0) {
        size_t length = (size_t)stat.st_size;
        void *log = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
        if (log != MAP_FAILED) {
            column = zeroed(sizeof *column);
            read_one(column, log, length, name, label);
            munmap(log, length);
        }
    }
    close(file);
    return column;
}

const double *read_file_values(const struct column *column, size_t *count)
{
    *count = column->count;
    return column->values;
}

void read_file_column_free(struct column *column)
{
    free(column->values);
    free(column);
}
