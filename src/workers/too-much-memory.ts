/** The signal by which a host ends that takes more memory than it may. Nothing else sends it. */
export const tooMuchMemory = "SIGALRM";
