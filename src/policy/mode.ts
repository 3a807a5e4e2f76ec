/** How much a person wants to be asked. Deny rules hold in every mode. */
export const modes = ["safe", "cautious", "paranoid", "yolo"] as const;
export type Mode = (typeof modes)[number];
