import { testWork } from "./test-work.ts";

await testWork("landlock", { tags: ["differs-for-root"] });
