/** @module-tag slow */
import { rounds } from "../../../test/support/rounds.ts";
import { openUndoFixture } from "../../../test/support/undo/undo-fixture.ts";
import { propertyFiles, testUndoProperties } from "../../../test/undo/undo-properties.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";

testUndoProperties(() => {
  const environment = new MemoryEnvironment({ files: propertyFiles });
  environment.link("link", "d/a");
  return openUndoFixture({ environment });
}, rounds(6));
