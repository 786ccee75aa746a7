/* The floor: the least that C firmware does to log a record. It fills a packed struct and copies it into a buffer. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct __attribute__((packed)) att {
    uint8_t header[3];
    uint64_t time_us;
    int16_t des_roll, roll, des_pitch, pitch;
    uint16_t des_yaw, yaw, error_roll_pitch, error_yaw;
    uint8_t active_ekf;
};

struct __attribute__((packed)) ctun {
    uint8_t header[3];
    uint64_t time_us;
    float throttle_in, angle_boost, throttle_out, throttle_hover, desired_alt, inav_alt, baro_alt;
    int16_t desired_rangefinder_alt, rangefinder_alt;
    float terrain_alt;
    int16_t target_climb_rate, climb_rate;
};

/* The numbers to log, as in src/lib.rs. */
struct input {
    int16_t integers[16];
    float floats[8];
};

#define INPUTS 16

size_t floor_att(const struct input inputs[INPUTS], uint8_t *out, size_t capacity, size_t records)
{
    size_t at = 0, total = 0;
    for (size_t i = 0; i < records; i++) {
        const struct input *in = &inputs[i % INPUTS];
        struct att record = {
            .header = {0xA3, 0x95, 1},
            .time_us = 2500 * (uint64_t)i,
            .des_roll = in->integers[0],
            .roll = in->integers[1],
            .des_pitch = in->integers[2],
            .pitch = in->integers[3],
            .des_yaw = (uint16_t)in->integers[4],
            .yaw = (uint16_t)in->integers[5],
            .error_roll_pitch = (uint16_t)in->integers[6],
            .error_yaw = (uint16_t)in->integers[7],
            .active_ekf = (uint8_t)in->integers[8],
        };
        if (capacity - at < sizeof record) {
            at = 0;
        }
        memcpy(out + at, &record, sizeof record);
        at += sizeof record;
        total += sizeof record;
    }
    return total;
}

size_t floor_ctun(const struct input inputs[INPUTS], uint8_t *out, size_t capacity, size_t records)
{
    size_t at = 0, total = 0;
    for (size_t i = 0; i < records; i++) {
        const struct input *in = &inputs[i % INPUTS];
        struct ctun record = {
            .header = {0xA3, 0x95, 2},
            .time_us = 2500 * (uint64_t)i,
            .throttle_in = in->floats[0],
            .angle_boost = in->floats[1],
            .throttle_out = in->floats[2],
            .throttle_hover = in->floats[3],
            .desired_alt = in->floats[4],
            .inav_alt = in->floats[5],
            .baro_alt = in->floats[6],
            .desired_rangefinder_alt = in->integers[0],
            .rangefinder_alt = in->integers[1],
            .terrain_alt = in->floats[7],
            .target_climb_rate = in->integers[2],
            .climb_rate = in->integers[3],
        };
        if (capacity - at < sizeof record) {
            at = 0;
        }
        memcpy(out + at, &record, sizeof record);
        at += sizeof record;
        total += sizeof record;
    }
    return total;
}
