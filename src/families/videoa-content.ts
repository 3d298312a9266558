import { appendAll } from "../base/append-all.ts";
import { normalizedUrl } from "../base/text.ts";
import { GatewayError } from "../errors.ts";
import type { MediaReference } from "./family.ts";
import type { UrlForm } from "./field.ts";
import { type FieldFaults, shown } from "./field-faults.ts";
import type { Body } from "./read-fields.ts";
import { formNames, type IsPublic, urlFormOf } from "./url-form.ts";

export interface Content {
  readonly texts: readonly string[];
  readonly references: readonly MediaReference[];
  /** True if the request has any item that is no text, valid or not. */
  readonly hasMaterial: boolean;
}

/** Fields of each kind of content item beside `type`. */
const KINDS = {
  image_url: {
    kind: "image",
    roles: { first_frame: "first_frame", last_frame: "last_frame", reference_image: "reference" },
  },
  video_url: { kind: "video", roles: { reference_video: "reference" } },
  audio_url: { kind: "audio", roles: { reference_audio: "reference" } },
} as const satisfies Record<
  string,
  { kind: MediaReference["kind"]; roles: Readonly<Record<string, MediaReference["role"]>> }
>;

/** JSON Schema of a content item. */
export const CONTENT_ITEM = {
  oneOf: [
    {
      type: "object",
      required: ["type", "text"],
      properties: { type: { const: "text" }, text: { type: "string" } },
    },
    ...Object.entries(KINDS).map(([type, { kind, roles }]) => ({
      type: "object",
      required: kind === "image" ? ["type", type] : ["type", type, "role"],
      properties: {
        type: { const: type },
        [type]: { type: "object", required: ["url"], properties: { url: { type: "string" } } },
        role: { enum: Object.keys(roles) },
      },
    })),
  ],
};

/**
 * Reads the content list. Items in no valid form are refused. Items in a valid form that break a rule (roles, URLs, an
 * unknown kind) make the accepted task fail.
 */
export function readContent(items: readonly Body[], limits: ContentLimits, faults: FieldFaults): Content {
  const texts: string[] = [];
  const drafts: Draft[] = [];
  items.forEach((item, index) => {
    const place = `content[${index}]`;
    const { type } = item;
    if (typeof type !== "string") throw malformed(`\`${place}.type\` is required.`);
    if (type === "text") appendAll(texts, textOf(item, place));
    else if (isKind(type)) drafts.push(readMaterial(item, type, place, limits, faults));
    else
      faults.fail(`\`${place}.type\` must be text, image_url, video_url or audio_url, not ${shown(type)}.`);
  });
  if (texts.length > limits.texts)
    faults.fail(`\`content\` takes at most ${limits.texts} text item${limits.texts === 1 ? "" : "s"}.`);
  // An empty prompt counts as no content.
  if (items.every(({ type, text }) => type === "text" && isAbsent(text)))
    throw malformed("`content` is required: a prompt and its reference media.");
  const hasMaterial = items.some(({ type }) => type !== "text");
  return { texts, references: withRoles(drafts, faults), hasMaterial };
}

interface ContentLimits {
  readonly texts: number;
  readonly dataUrls: boolean;
  readonly isPublic?: IsPublic | undefined;
}

/** A reference whose role may still be undecided. */
type Draft = Omit<MediaReference, "role"> & { readonly role: MediaReference["role"] | null };

type Kind = keyof typeof KINDS;

function isKind(type: string): type is Kind {
  return Object.hasOwn(KINDS, type);
}

/** Returns the item's text; [] if it is empty, as forms send it when the prompt is blank. */
function textOf(item: Body, place: string): readonly string[] {
  const { text } = item;
  if (typeof text === "string") return text === "" ? [] : [text];
  if (text === null) return [];
  throw malformed(`\`${place}.text\` is required: the prompt.`);
}

function isAbsent(value: unknown): boolean {
  return value === null || value === "";
}

function readMaterial(
  item: Body,
  type: Kind,
  place: string,
  { dataUrls, isPublic }: ContentLimits,
  faults: FieldFaults,
): Draft {
  const { kind, roles } = KINDS[type];
  const holder = item[type];
  const url = typeof holder === "object" && holder !== null ? (holder as Body)["url"] : undefined;
  if (typeof url !== "string" || url === "") throw malformed(`\`${place}.${type}.url\` is required.`);
  const forms: UrlForm[] = kind === "image" && dataUrls ? ["public", "asset", "data"] : ["public", "asset"];
  const form = urlFormOf(url, isPublic);
  if (form === undefined || !forms.includes(form))
    faults.fail(`\`${place}.${type}.url\` must be ${formNames(forms)}, not ${shown(url)}.`);
  return {
    kind,
    role: roleOf(item["role"], roles, kind, place, faults),
    url: normalizedUrl(url),
  };
}

function roleOf(
  role: unknown,
  roles: Readonly<Record<string, MediaReference["role"]>>,
  kind: MediaReference["kind"],
  place: string,
  faults: FieldFaults,
): MediaReference["role"] | null {
  if (kind === "image" && (role === undefined || role === null || role === "")) return null;
  const known = typeof role === "string" && Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (known !== undefined) return known;
  faults.fail(
    `\`${place}.role\` must be ${Object.keys(roles).join(", ")} on ${kind} items, not ${shown(role ?? null)}.`,
  );
  return "reference";
}

/** A single image without a role is the first frame. For several images without roles there is no such rule. */
function withRoles(drafts: readonly Draft[], faults: FieldFaults): MediaReference[] {
  if (drafts.filter(({ role }) => role === null).length > 1)
    faults.fail("Several images have no `role`; set first_frame, last_frame or reference_image on each.");
  return drafts.map((draft) => ({ ...draft, role: draft.role ?? "first_frame" }));
}

function malformed(message: string): GatewayError {
  return new GatewayError("invalid_request", message, { param: "content" });
}
