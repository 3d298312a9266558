import { expect, it } from "vitest";
import { addedOf, draftOf, type Offered } from "./offered-draft.ts";

const LISTED: Offered = {
  id: "vendor-small",
  context_tokens: 128_000,
  max_output_tokens: 16_384,
  input_media: ["image"],
  price: { input: "0.15", output: "0.6", cache_read: "0.075" },
  unpriced_reason: null,
  listed_as: "vendor-small",
  url: null,
  serves: [],
  in_catalog: false,
};

it("adds what is listed, prices that the page doesn't show included", () => {
  expect(addedOf(LISTED, draftOf(LISTED))).toEqual({
    id: "vendor-small",
    context_tokens: 128_000,
    max_output_tokens: 16_384,
    input_media: ["image"],
    price: { input: "0.15", output: "0.6", cache_read: "0.075" },
  });
});

it("adds what was corrected, to the last digit", () => {
  const draft = { ...draftOf(LISTED), context: "64000", inputPrice: " 0.1500000001 " };
  const added = addedOf(LISTED, draft);
  expect(added.context_tokens).toBe(64_000);
  expect(added.price).toEqual({ input: "0.1500000001", output: "0.6", cache_read: "0.075" });
});

it("leaves to the gateway to refuse what nobody states", () => {
  const unlisted = { ...LISTED, context_tokens: null, max_output_tokens: null, price: null };
  expect(addedOf(unlisted, draftOf(unlisted))).toMatchObject({
    context_tokens: null,
    max_output_tokens: null,
    price: null,
  });
});
