// By name: `import("zod")` would keep all of zod, for every command.
export { fromJSONSchema } from "zod";
