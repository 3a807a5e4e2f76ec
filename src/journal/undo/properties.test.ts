/** @module-tag slow */
import { repetitions } from "../../../test/support/repetitions.ts";
import { openUndoFixture } from "../../../test/support/undo/undo-fixture.ts";
import { propertyFiles, testUndoProperties } from "../../../test/undo/undo-properties.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";

testUndoProperties(
  () => {
    const environment = new MemoryEnvironment({ files: propertyFiles });
    environment.link("link", "d/a");
    return openUndoFixture({ environment });
  },
  repetitions(6, 30),
);
