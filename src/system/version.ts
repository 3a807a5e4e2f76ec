import packageJson from "../../package.json" with { type: "json" };

/** The version of this package, which the build inserts as a constant. */
export const version: string = packageJson.version;
