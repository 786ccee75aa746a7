/* A ring of CAPACITY bytes for each file that includes it. Interrupts are masked as CMSIS-Core has it: __get_PRIMASK,
 * __disable_irq, __set_PRIMASK. */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t mask(void)
{
    uint32_t primask;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(primask)::"memory");
    return primask;
}

static inline void unmask(uint32_t primask) { __asm volatile("msr primask, %0" ::"r"(primask) : "memory"); }

/* (a) and (b): free-running head and tail, a power of two; a record is refused as a whole, and counted. */

static struct {
    uint32_t head, tail, dropped;
    uint8_t bytes[CAPACITY];
} ring;

static inline bool put(const void *record, uint32_t length)
{
    const uint32_t primask = mask();
    const uint32_t head = ring.head;
    const bool fits = head - ring.tail + length <= CAPACITY;
    if (fits) {
        const uint32_t at = head % CAPACITY;
        if (at + length <= CAPACITY) {
            memcpy(ring.bytes + at, record, length);
        } else {
            const uint32_t first = CAPACITY - at;
            memcpy(ring.bytes + at, record, first);
            memcpy(ring.bytes, (const uint8_t *)record + first, length - first);
        }
        ring.head = head + length;
    } else {
        ring.dropped++;
    }
    unmask(primask);
    return fits;
}
