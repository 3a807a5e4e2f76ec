import { expect, it } from "vitest";
import { type FileRole, fileRoles, roleOf } from "./file-roles.ts";

it.each<[FileRole, string[]]>([
  [
    "code",
    ["src/main.rs", "lib/testify.go", "src/contest/latest.ts", "Makefile.pl", "src/spectrum.c", "index.d.js"],
  ],
  [
    "test",
    [
      "src/a.test.ts",
      "tests/it.rs",
      "pkg/server_test.go",
      "test_views.py",
      "src/test/java/App.java",
      "UserServiceTest.java",
      "spec/models/user_spec.rb",
      "src/__tests__/a.js",
      "unit_tests/run.py",
      "conftest.py",
    ],
  ],
  ["example", ["examples/server.go", "bench/run.ts", "demo/app.py"]],
  ["documentation", ["README.md", "docs/guide.rst", "CHANGELOG", "doc/x.c", "man/tool.1"]],
  ["data", ["package.json", "ci.yaml", "style.css", "Dockerfile", "CMakeLists.txt", "Cargo.toml"]],
  ["generated", ["a.min.js", "vendor/x/y.go", "api.pb.go", "node_modules/a/index.js", "types.d.ts"]],
])("recognizes %s by the path", (role, paths) => {
  expect(paths.map((path) => fileRoles[roleOf(path)])).toEqual(paths.map(() => role));
});
