import { expect, it } from "vitest";
import { parseManifest } from "../file/read.ts";
import { withFirstKey } from "./start.ts";

const KEY = "first-key-0123456789";
const keysOf = (text: string) =>
  withFirstKey(parseManifest(`version: 1\n${text}`, {}), KEY).accounts.map(({ name, keys }) => [
    name,
    keys?.map((key) => [key.name, key.credential === KEY]),
  ]);

it("the first account gets the key beside its own", () => {
  expect(keysOf("accounts: [{ name: a, keys: [{ name: k, key: 0123456789abcdef }] }, { name: b }]")).toEqual([
    [
      "a",
      [
        ["k", false],
        ["bootstrap", true],
      ],
    ],
    ["b", undefined],
  ]);
  expect(keysOf("accounts: [{ name: a, keys: [{ name: bootstrap, key: 0123456789abcdef }] }]")).toEqual([
    [
      "a",
      [
        ["bootstrap", false],
        ["bootstrap-2", true],
      ],
    ],
  ]);
});

it("without any account, one is made for it", () => {
  expect(keysOf("models: []")).toEqual([["first", [["bootstrap", true]]]]);
});

it("a file that declares this very key is left as it is", () => {
  expect(keysOf(`accounts: [{ name: a }, { name: b, keys: [{ name: own, key: ${KEY} }] }]`)).toEqual([
    ["a", undefined],
    ["b", [["own", true]]],
  ]);
});
