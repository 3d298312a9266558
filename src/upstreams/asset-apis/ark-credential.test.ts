import { describe, expect, it } from "vitest";
import { kindOf } from "../kinds.ts";
import { readArkCredential } from "./ark-credential.ts";

describe("a credential of kind ark", () => {
  it("may be the key alone, which keeps no assets", () => {
    expect(readArkCredential("0f1e2d3c-key")).toEqual({ apiKey: "0f1e2d3c-key", signing: null });
    expect(readArkCredential("key;access_key=a")).toEqual({ apiKey: "key", signing: null });
    expect(readArkCredential("key;access_key=a;secret_key=")).toEqual({ apiKey: "key", signing: null });
  });

  it("may hold a signing pair, whose secret may end in equal signs", () => {
    expect(readArkCredential("key;access_key=AKLT1;secret_key=c2VjcmV0PT0==")).toEqual({
      apiKey: "key",
      signing: {
        accessKey: "AKLT1",
        secretKey: "c2VjcmV0PT0==",
        project: "default",
        group: null,
        region: null,
        baseUrl: null,
      },
    });
  });

  it("may say group, project, region and address", () => {
    const text =
      "key;group=group-1;project=films;region=ap-southeast-1;assets=https://a.example;secret_key=s;access_key=a";
    expect(readArkCredential(text).signing).toEqual({
      accessKey: "a",
      secretKey: "s",
      group: "group-1",
      project: "films",
      region: "ap-southeast-1",
      baseUrl: "https://a.example",
    });
  });

  it("sends the key alone where a key is wanted", () => {
    expect(kindOf("ark")?.keyIn?.("key;access_key=a;secret_key=s")).toBe("key");
  });
});
