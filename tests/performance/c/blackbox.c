/* A Blackbox encoder in C, as firmware has it: Betaflight's algorithms after the format's description, each field by its
 * own call, byte by byte. It is in one unit, so that the compiler may inline all of it. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct __attribute__((packed)) main_frame {
    uint32_t loop_iteration, time;
    int16_t axis_p[3], axis_i[3], axis_d[2], axis_f[3];
    int16_t rc_command[4], setpoint[4];
    uint16_t vbat_latest;
    int16_t amperage_latest;
    int32_t baro_alt;
    uint16_t rssi;
    int16_t gyro_adc[3], acc_smooth[3];
    uint16_t motor[4];
};

#define MOTOR_OUTPUT_LOW 158
#define VBAT_REFERENCE 1600

static uint8_t *at;

static inline void write_byte(uint8_t byte)
{
    *at++ = byte;
}

static void write_unsigned_vb(uint32_t value)
{
    while (value > 127) {
        write_byte((uint8_t)(value | 0x80));
        value >>= 7;
    }
    write_byte((uint8_t)value);
}

static inline uint32_t zigzag(int32_t value)
{
    return ((uint32_t)value << 1) ^ (uint32_t)(value >> 31);
}

static void write_signed_vb(int32_t value)
{
    write_unsigned_vb(zigzag(value));
}

static void write_signed_vb_array(const int32_t *values, int count)
{
    for (int i = 0; i < count; i++)
        write_signed_vb(values[i]);
}

static void write_tag2_3s32(const int32_t *values)
{
    enum { BITS_2, BITS_4, BITS_6, BYTES };
    int selector = BITS_2;
    for (int i = 0; i < 3; i++) {
        if (values[i] >= 32 || values[i] < -32) {
            selector = BYTES;
            break;
        }
        if (values[i] >= 8 || values[i] < -8) {
            if (selector < BITS_6)
                selector = BITS_6;
        } else if (values[i] >= 2 || values[i] < -2) {
            if (selector < BITS_4)
                selector = BITS_4;
        }
    }
    switch (selector) {
    case BITS_2:
        write_byte((uint8_t)((values[0] & 3) << 4 | (values[1] & 3) << 2 | (values[2] & 3)));
        break;
    case BITS_4:
        write_byte((uint8_t)(selector << 6 | (values[0] & 0xF)));
        write_byte((uint8_t)(values[1] << 4 | (values[2] & 0xF)));
        break;
    case BITS_6:
        write_byte((uint8_t)(selector << 6 | (values[0] & 0x3F)));
        write_byte((uint8_t)values[1]);
        write_byte((uint8_t)values[2]);
        break;
    case BYTES: {
        int widths = 0;
        for (int i = 2; i >= 0; i--) {
            widths <<= 2;
            if (values[i] < 128 && values[i] >= -128)
                widths |= 0;
            else if (values[i] < 32768 && values[i] >= -32768)
                widths |= 1;
            else if (values[i] < 8388608 && values[i] >= -8388608)
                widths |= 2;
            else
                widths |= 3;
        }
        write_byte((uint8_t)(selector << 6 | widths));
        for (int i = 0; i < 3; i++, widths >>= 2)
            for (int byte = 0; byte <= (widths & 3); byte++)
                write_byte((uint8_t)((uint32_t)values[i] >> (8 * byte)));
        break;
    }
    }
}

static void write_tag8_4s16(const int32_t *values)
{
    enum { ZERO, BITS_4, BITS_8, BITS_16 };
    uint8_t selector = 0;
    for (int i = 3; i >= 0; i--) {
        selector <<= 2;
        if (values[i] == 0)
            selector |= ZERO;
        else if (values[i] < 8 && values[i] >= -8)
            selector |= BITS_4;
        else if (values[i] < 128 && values[i] >= -128)
            selector |= BITS_8;
        else
            selector |= BITS_16;
    }
    write_byte(selector);
    int half = 0;
    uint8_t pending = 0;
    for (int i = 0; i < 4; i++, selector >>= 2) {
        switch (selector & 3) {
        case ZERO:
            break;
        case BITS_4:
            if (!half) {
                pending = (uint8_t)(values[i] << 4);
                half = 1;
            } else {
                write_byte((uint8_t)(pending | (values[i] & 0xF)));
                half = 0;
            }
            break;
        case BITS_8:
            if (!half) {
                write_byte((uint8_t)values[i]);
            } else {
                write_byte((uint8_t)(pending | ((values[i] >> 4) & 0xF)));
                pending = (uint8_t)(values[i] << 4);
            }
            break;
        case BITS_16:
            if (!half) {
                write_byte((uint8_t)(values[i] >> 8));
                write_byte((uint8_t)values[i]);
            } else {
                write_byte((uint8_t)(pending | ((values[i] >> 12) & 0xF)));
                write_byte((uint8_t)(values[i] >> 4));
                pending = (uint8_t)(values[i] << 4);
            }
            break;
        }
    }
    if (half)
        write_byte(pending);
}

static void write_tag8_8svb(const int32_t *values, int count)
{
    if (count == 1) {
        write_signed_vb(values[0]);
        return;
    }
    uint8_t header = 0;
    for (int i = count - 1; i >= 0; i--) {
        header <<= 1;
        if (values[i] != 0)
            header |= 1;
    }
    write_byte(header);
    for (int i = 0; i < count; i++)
        if (values[i] != 0)
            write_signed_vb(values[i]);
}

static void write_intra(const struct main_frame *frame)
{
    write_byte('I');
    write_unsigned_vb(frame->loop_iteration);
    write_unsigned_vb(frame->time);
    for (int i = 0; i < 3; i++)
        write_signed_vb(frame->axis_p[i]);
    for (int i = 0; i < 3; i++)
        write_signed_vb(frame->axis_i[i]);
    for (int i = 0; i < 2; i++)
        write_signed_vb(frame->axis_d[i]);
    for (int i = 0; i < 3; i++)
        write_signed_vb(frame->axis_f[i]);
    for (int i = 0; i < 4; i++)
        write_signed_vb(frame->rc_command[i]);
    for (int i = 0; i < 4; i++)
        write_signed_vb(frame->setpoint[i]);
    write_unsigned_vb((uint32_t)(VBAT_REFERENCE - frame->vbat_latest) & 0x3FFF);
    write_signed_vb(frame->amperage_latest);
    write_signed_vb(frame->baro_alt);
    write_unsigned_vb(frame->rssi);
    for (int i = 0; i < 3; i++)
        write_signed_vb(frame->gyro_adc[i]);
    for (int i = 0; i < 3; i++)
        write_signed_vb(frame->acc_smooth[i]);
    write_unsigned_vb((uint32_t)(frame->motor[0] - MOTOR_OUTPUT_LOW));
    for (int i = 1; i < 4; i++)
        write_signed_vb(frame->motor[i] - frame->motor[0]);
}

static void write_inter(const struct main_frame *frame, const struct main_frame *before, const struct main_frame *older)
{
    int32_t deltas[8];
    write_byte('P');
    write_signed_vb((int32_t)(frame->time - 2 * before->time + older->time));
    for (int i = 0; i < 3; i++)
        deltas[i] = frame->axis_p[i] - before->axis_p[i];
    write_signed_vb_array(deltas, 3);
    for (int i = 0; i < 3; i++)
        deltas[i] = frame->axis_i[i] - before->axis_i[i];
    write_tag2_3s32(deltas);
    for (int i = 0; i < 2; i++)
        deltas[i] = frame->axis_d[i] - before->axis_d[i];
    write_signed_vb_array(deltas, 2);
    for (int i = 0; i < 3; i++)
        deltas[i] = frame->axis_f[i] - before->axis_f[i];
    write_signed_vb_array(deltas, 3);
    for (int i = 0; i < 4; i++)
        deltas[i] = frame->rc_command[i] - before->rc_command[i];
    write_tag8_4s16(deltas);
    for (int i = 0; i < 4; i++)
        deltas[i] = frame->setpoint[i] - before->setpoint[i];
    write_tag8_4s16(deltas);
    int count = 0;
    deltas[count++] = (int32_t)frame->vbat_latest - before->vbat_latest;
    deltas[count++] = frame->amperage_latest - before->amperage_latest;
    deltas[count++] = frame->baro_alt - before->baro_alt;
    deltas[count++] = (int32_t)frame->rssi - before->rssi;
    write_tag8_8svb(deltas, count);
    for (int i = 0; i < 3; i++)
        write_signed_vb(frame->gyro_adc[i] - (before->gyro_adc[i] + older->gyro_adc[i]) / 2);
    for (int i = 0; i < 3; i++)
        write_signed_vb(frame->acc_smooth[i] - (before->acc_smooth[i] + older->acc_smooth[i]) / 2);
    for (int i = 0; i < 4; i++)
        write_signed_vb(frame->motor[i] - (before->motor[i] + older->motor[i]) / 2);
}

/* Encodes frames in turn into a buffer, from its start again after every 64. Returns the bytes; `out` has room for 64
 * frames. */
size_t c_blackbox(const struct main_frame *frames, size_t count, uint8_t *out, size_t records, uint32_t i_interval)
{
    struct main_frame ring[3];
    struct main_frame *next = &ring[0], *before = &ring[1], *older = &ring[2];
    memset(ring, 0, sizeof ring);
    size_t total = 0;
    at = out;
    for (size_t i = 0; i < records; i++) {
        if (i % 64 == 0)
            at = out;
        uint8_t *start = at;
        *next = frames[i % count];
        if (next->loop_iteration % i_interval == 0) {
            write_intra(next);
            *before = *next;
            *older = *next;
        } else {
            write_inter(next, before, older);
            struct main_frame *free = older;
            older = before;
            before = next;
            next = free;
        }
        total += (size_t)(at - start);
    }
    return total;
}
