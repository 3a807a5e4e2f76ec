import { testWork } from "./test-work.ts";

await testWork("bwrap", { tags: ["root"] });
