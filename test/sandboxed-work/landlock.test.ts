import { testWork } from "./test-work.ts";

await testWork("landlock", { tags: ["root"] });
