import { expect, it } from "vitest";
import { LoginSecrets } from "./request-login.ts";

it("keeps the last secrets of a login, and none that is short", () => {
  const secrets = new LoginSecrets();
  for (const secret of ["first-token", "short", ...Array.from({ length: 200 }, (_, at) => `token-${at}`)]) {
    secrets.add(secret);
    secrets.add("client-secret");
  }
  expect(secrets.all).toHaveLength(50);
  expect(secrets.all).toContain("client-secret");
  expect(secrets.all).toContain("token-199");
  expect(secrets.all).not.toContain("short");
});
