/* FatFs' side: its disk is the caller's card, and its calls are made one by one, so that the caller can measure each. */
#include "ff.h"
#include "diskio.h"

extern int card_read(unsigned char *bytes, unsigned at, unsigned count);
extern int card_write(const unsigned char *bytes, unsigned at, unsigned count);

static FATFS volume;
static FIL file;

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

int fatfs_begin(const char *path, unsigned preallocated) {
    FRESULT result = f_mount(&volume, "", 1);
    if (!result) result = f_open(&file, path, FA_WRITE | FA_CREATE_NEW);
    if (!result && preallocated) result = f_expand(&file, preallocated, 1);
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
