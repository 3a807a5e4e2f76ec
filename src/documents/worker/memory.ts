/** Resident bytes of a host above which it is ended. */
export const mostMemory = 1_500_000_000;

/** Megabytes of objects: some documents are all objects, most are all bytes, which V8 does not count. */
export const mostHeap = 1000;
