/* The side of littlefs: numbered logs, the oldest of which make room for a new one. Its blocks are the caller's chip, and
   its calls are made one by one, so that the caller can measure each. */
#include "lfs.h"

extern int chip_read(unsigned char *bytes, unsigned at, unsigned count);
extern int chip_write(const unsigned char *bytes, unsigned at, unsigned count);
extern int chip_erase(unsigned at);

#define BLOCK 4096
#define CACHE 256

static lfs_t volume;
static lfs_file_t file;
static lfs_dir_t folder;
static struct lfs_info entry;
static struct lfs_config config;
static uint8_t read_cache[CACHE], write_cache[CACHE], file_cache[CACHE], lookahead[16];
static const struct lfs_file_config file_config = {.buffer = file_cache};
static char path[] = "00000000.BIN";

static int read_chip(const struct lfs_config *c, lfs_block_t block, lfs_off_t at, void *bytes, lfs_size_t count) {
    (void)c;
    return chip_read(bytes, block * BLOCK + at, count) ? LFS_ERR_IO : 0;
}

static int write_chip(const struct lfs_config *c, lfs_block_t block, lfs_off_t at, const void *bytes, lfs_size_t count) {
    (void)c;
    return chip_write(bytes, block * BLOCK + at, count) ? LFS_ERR_IO : 0;
}

static int erase_chip(const struct lfs_config *c, lfs_block_t block) {
    (void)c;
    return chip_erase(block * BLOCK) ? LFS_ERR_IO : 0;
}

static int sync_chip(const struct lfs_config *c) {
    (void)c;
    return 0;
}

static void name_log(unsigned number) {
    for (char *digit = path + 7; digit >= path; digit--) {
        *digit = (char)('0' + number % 10);
        number /= 10;
    }
}

/* Finds the lowest and the highest number of a log; 0 if there is none. */
static int scan(unsigned *oldest, unsigned *newest) {
    *oldest = *newest = 0;
    int result = lfs_dir_open(&volume, &folder, "/");
    if (result) return result;
    while ((result = lfs_dir_read(&volume, &folder, &entry)) > 0) {
        unsigned number = 0;
        for (const char *digit = entry.name; *digit >= '0' && *digit <= '9'; digit++)
            number = number * 10 + (unsigned)(*digit - '0');
        if (!number) continue;
        if (!*oldest || number < *oldest) *oldest = number;
        if (number > *newest) *newest = number;
    }
    int closed = lfs_dir_close(&volume, &folder);
    return result ? result : closed;
}

/* Begins a log on a chip of `capacity` bytes, `length` of which have to be free. */
int littlefs_begin(unsigned capacity, unsigned length) {
    config = (struct lfs_config){
        .read = read_chip, .prog = write_chip, .erase = erase_chip, .sync = sync_chip,
        .read_size = 1, .prog_size = 1, .block_size = BLOCK, .block_count = capacity / BLOCK, .block_cycles = 500,
        .cache_size = CACHE, .lookahead_size = sizeof lookahead,
        .read_buffer = read_cache, .prog_buffer = write_cache, .lookahead_buffer = lookahead,
    };
    int result = lfs_mount(&volume, &config);
    if (result == LFS_ERR_CORRUPT) {
        result = lfs_format(&volume, &config);
        if (!result) result = lfs_mount(&volume, &config);
    }
    unsigned oldest, newest;
    if (!result) result = scan(&oldest, &newest);
    while (!result) {
        lfs_ssize_t used = lfs_fs_size(&volume);
        if (used < 0) return (int)used;
        if (capacity - (unsigned)used * BLOCK >= length) break;
        unsigned last;
        result = scan(&oldest, &last);
        if (!result && !oldest) result = LFS_ERR_NOSPC;
        name_log(oldest);
        if (!result) result = lfs_remove(&volume, path);
    }
    if (result) return result;
    name_log(newest + 1);
    return lfs_file_opencfg(&volume, &file, path, LFS_O_WRONLY | LFS_O_CREAT | LFS_O_EXCL, &file_config);
}

int littlefs_write(const unsigned char *bytes, unsigned count) {
    lfs_ssize_t written = lfs_file_write(&volume, &file, bytes, count);
    return written < 0 ? (int)written : (unsigned)written != count;
}

int littlefs_sync(void) { return lfs_file_sync(&volume, &file); }

int littlefs_end(void) { return lfs_file_close(&volume, &file); }

/* Opens the newest log for reading. */
int littlefs_open(void) {
    unsigned oldest, newest;
    int result = scan(&oldest, &newest);
    if (result) return result;
    name_log(newest);
    return lfs_file_opencfg(&volume, &file, path, LFS_O_RDONLY, &file_config);
}

int littlefs_read(unsigned char *bytes, unsigned count) { return lfs_file_read(&volume, &file, bytes, count); }
