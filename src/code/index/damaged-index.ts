/** The index is not what was written. It is thrown away and made again: nothing is answered from it. */
export class DamagedIndex extends Error {}
