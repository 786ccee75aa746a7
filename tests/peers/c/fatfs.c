/* FatFs' side: numbered logs in a folder, the oldest of which make room for a new one. Its disk is the caller's card, and
   its calls are made one by one, so that the caller can measure each. */
#include "ff.h"
#include "diskio.h"

extern int card_read(unsigned char *bytes, unsigned at, unsigned count);
extern int card_write(const unsigned char *bytes, unsigned at, unsigned count);

static FATFS volume;
static FIL file;
static DIR folder;
static FILINFO entry;
static char path[] = "LOGS/00000000.BIN";

DSTATUS disk_initialize(BYTE drive) { return drive ? STA_NOINIT : 0; }
DSTATUS disk_status(BYTE drive) { return drive ? STA_NOINIT : 0; }

DRESULT disk_read(BYTE drive, BYTE *bytes, LBA_t at, UINT count) {
    (void)drive;
    return card_read(bytes, at, count) ? RES_ERROR : RES_OK;
}

DRESULT disk_write(BYTE drive, const BYTE *bytes, LBA_t at, UINT count) {
    (void)drive;
    return card_write(bytes, at, count) ? RES_ERROR : RES_OK;
}

DRESULT disk_ioctl(BYTE drive, BYTE command, void *buffer) {
    (void)drive, (void)buffer;
    return command == CTRL_SYNC ? RES_OK : RES_PARERR;
}

/* Puts the number of a log into `path`. */
static void name_log(unsigned number) {
    for (char *digit = path + 12; digit >= path + 5; digit--) {
        *digit = (char)('0' + number % 10);
        number /= 10;
    }
}

/* Finds the lowest and the highest number of a log; 0 if there is none. */
static FRESULT scan(unsigned *oldest, unsigned *newest) {
    *oldest = *newest = 0;
    FRESULT result = f_opendir(&folder, "LOGS");
    while (!result) {
        result = f_readdir(&folder, &entry);
        if (result || !entry.fname[0]) break;
        unsigned number = 0;
        for (const char *digit = entry.fname; *digit >= '0' && *digit <= '9'; digit++)
            number = number * 10 + (unsigned)(*digit - '0');
        if (!number) continue;
        if (!*oldest || number < *oldest) *oldest = number;
        if (number > *newest) *newest = number;
    }
    return result;
}

int fatfs_begin(unsigned preallocated) {
    unsigned oldest, newest;
    FRESULT result = f_mount(&volume, "", 1);
    if (!result) result = f_mkdir("LOGS");
    if (result == FR_EXIST) result = FR_OK;
    if (!result) result = scan(&oldest, &newest);
    if (result) return result;
    name_log(newest + 1);
    result = f_open(&file, path, FA_WRITE | FA_CREATE_NEW);
    while (!result && preallocated) {
        result = f_expand(&file, preallocated, 1);
        if (result != FR_DENIED || !newest) break;
        /* No space of that length is free. */
        result = scan(&oldest, &newest);
        if (result || oldest == newest) return result ? result : FR_DENIED;
        name_log(oldest);
        result = f_unlink(path);
    }
    return result;
}

int fatfs_write(const unsigned char *bytes, unsigned count) {
    UINT written;
    FRESULT result = f_write(&file, bytes, count, &written);
    return result ? (int)result : written != count;
}

int fatfs_sync(void) { return f_sync(&file); }

int fatfs_end(void) {
    FRESULT result = f_truncate(&file);
    return result ? result : f_close(&file);
}
