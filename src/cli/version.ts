import packageJson from "../../package.json" with { type: "json" };

/** The version of this package; the build puts it in as a constant. */
export const version: string = packageJson.version;
