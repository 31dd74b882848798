// SPDX-License-Identifier: MIT

package main

/*
#include <stdint.h>

struct bench;

uint64_t batch_begin(struct bench *b); // the length of the first batch
uint64_t batch_next(struct bench *b);  // of the next one; 0 at the end
*/
import "C"

import (
	"runtime"
	"sort"
)

// What the compiler cannot see anybody read, it would not compute.
var sum uint64
var kept []byte

//export goSum
func goSum(b *C.struct_bench) {
	numbers := make([]uint64, 1000)
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	for left := C.batch_begin(b); left != 0; left = C.batch_next(b) {
		for ; left != 0; left-- {
			var of uint64
			for _, number := range numbers {
				of += number
			}
			sum = of
		}
	}
}

//export goSortInts
func goSortInts(b *C.struct_bench) {
	shuffled, numbers := make([]int, 256), make([]int, 256)
	state := uint32(1)
	for i := range shuffled {
		state = state*1664525 + 1013904223
		shuffled[i] = int(state >> 8)
	}
	for left := C.batch_begin(b); left != 0; left = C.batch_next(b) {
		for ; left != 0; left-- {
			copy(numbers, shuffled)
			sort.Ints(numbers)
		}
	}
}

//export goAllocate
func goAllocate(b *C.struct_bench) float64 {
	runtime.GC() // starts the collector's threads before the loop
	for left := C.batch_begin(b); left != 0; left = C.batch_next(b) {
		for ; left != 0; left-- {
			kept = make([]byte, 4096)
		}
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.NumGC)
}

//export goNothing
func goNothing() {}

func main() {}
