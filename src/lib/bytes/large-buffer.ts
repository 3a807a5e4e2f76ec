/**
 * Returns zeroed memory. A large buffer can be resized, because V8 then takes it from the kernel and not from malloc.
 * When malloc frees a large buffer, it afterwards keeps up to twice as much free memory for itself.
 */
export function allocateBuffer(bytes: number): ArrayBuffer {
  return bytes < largeBytes ? new ArrayBuffer(bytes) : new ArrayBuffer(bytes, { maxByteLength: bytes });
}

/** From this size on, malloc takes memory from the kernel by default. */
const largeBytes = 128 * 1024;
