/* How firmware in C logs a record from any context: it masks interrupts, checks, and copies into a ring.
 *
 * Records are packed structs that begin with their header, filled by the caller. */

#define CAPACITY 4096u

#include "ring.h"

/* (a): a function a message, with its length in it. */

int c_constant_28(const void *record, uint32_t length)
{
    (void)length;
    return put(record, 28);
}

int c_constant_51(const void *record, uint32_t length)
{
    (void)length;
    return put(record, 51);
}

/* (b): one function for all messages. */

int c_length(const void *record, uint32_t length) { return put(record, length); }

void c_drain(void) { ring.tail = ring.head; }

/* (c): what ArduPilot's AP_Logger does for a record of a buffered backend, read in its sources (AP_Logger_Backend.cpp
 * and AP_Logger_File.cpp: WritePrioritisedBlock, df_stats_gather; AP_HAL/utility/RingBuffer.cpp: ByteBuffer): a check
 * that logging is on, a semaphore, a check that the definitions are out, room with a part of it kept for critical
 * messages, a count of what was dropped, a buffer that is asked for one or two pieces and told how much was copied, and
 * statistics of free bytes. The buffer is a module of its own, of any size. In place of the RTOS's semaphore stands the
 * mask, which costs less. */

struct piece {
    uint8_t *data;
    uint32_t length;
};

struct buffer {
    uint8_t *data;
    uint32_t capacity, first, used;
};

static uint8_t bytes[CAPACITY];
static struct buffer buffer = {.data = bytes, .capacity = CAPACITY};

static struct {
    bool running, definitions_written;
    uint32_t reserve, dropped;
    struct {
        uint32_t bytes, records, free_min, free_max;
        uint64_t free_sum;
    } statistics;
} logger = {.running = true, .definitions_written = true, .reserve = CAPACITY / 8, .statistics.free_min = UINT32_MAX};

static uint32_t buffer_free(const struct buffer *to) { return to->capacity - to->used; }

/* Where `length` bytes go: in how many pieces. 0 when there is no room. */
static int buffer_reserve(const struct buffer *to, struct piece pieces[2], uint32_t length)
{
    if (length > buffer_free(to)) {
        return 0;
    }
    uint32_t end = to->first + to->used;
    if (end >= to->capacity) {
        end -= to->capacity;
    }
    const uint32_t until_end = to->capacity - end;
    pieces[0].data = to->data + end;
    if (length <= until_end) {
        pieces[0].length = length;
        return 1;
    }
    pieces[0].length = until_end;
    pieces[1].data = to->data;
    pieces[1].length = length - until_end;
    return 2;
}

/* A module of its own is not inlined into another. */
__attribute__((noinline)) static uint32_t buffer_write(struct buffer *to, const uint8_t *from, uint32_t length)
{
    struct piece pieces[2];
    const int count = buffer_reserve(to, pieces, length);
    uint32_t written = 0;
    for (int i = 0; i < count; i++) {
        memcpy(pieces[i].data, from + written, pieces[i].length);
        written += pieces[i].length;
    }
    to->used += written;
    return written;
}

static void gather(uint32_t length)
{
    const uint32_t space = buffer_free(&buffer);
    if (space < logger.statistics.free_min) {
        logger.statistics.free_min = space;
    }
    if (space > logger.statistics.free_max) {
        logger.statistics.free_max = space;
    }
    logger.statistics.free_sum += space;
    logger.statistics.bytes += length;
    logger.statistics.records++;
}

__attribute__((noinline)) static bool write_prioritised(const void *record, uint32_t length, bool critical)
{
    if (!logger.running) {
        return false;
    }
    const uint32_t primask = mask();
    const uint32_t space = buffer_free(&buffer);
    bool taken = false;
    if (logger.definitions_written && (critical || space >= logger.reserve) && space >= length) {
        buffer_write(&buffer, record, length);
        gather(length);
        taken = true;
    } else {
        logger.dropped++;
    }
    unmask(primask);
    return taken;
}

int c_like_ap(const void *record, uint32_t length) { return write_prioritised(record, length, false); }

void c_drain_like_ap(void)
{
    buffer.first = (buffer.first + buffer.used) % buffer.capacity;
    buffer.used = 0;
}
