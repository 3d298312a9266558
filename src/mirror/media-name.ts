import { randomText } from "../base/random.ts";
import type { MediaType } from "./media-type.ts";
import { MEDIA_TYPES } from "./media-type.ts";

/**
 * The name of a copied file: the day it was copied on, and an id that nobody can guess, since whoever knows the
 * link may read the file. All that is ever asked about a file stands in its name: when it goes, what it is.
 */
export interface MediaName {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  /** 32 of [0-9A-Za-z], which are 190 bits. */
  readonly id: string;
  readonly type: MediaType;
}

const ID_LENGTH = 32;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const FILE = new RegExp(`^([0-9A-Za-z]{${ID_LENGTH}})\\.([a-z0-9]{3,4})$`);

/** A name that no other file has. */
export function newMediaName(nowMs: number, type: MediaType): MediaName {
  return { day: dayOf(nowMs), id: randomText(ID_LENGTH), type };
}

/** `<day>/<id>.<type>`: its place in a folder or bucket, and the end of its link. */
export function pathOf({ day, id, type }: MediaName): string {
  return `${day}/${id}.${type}`;
}

/** The name that two parts of a path are; undefined = no such name can exist. */
export function readMediaName(day: string, file: string): MediaName | undefined {
  const [, id, type] = FILE.exec(file) ?? [];
  if (id === undefined || type === undefined || !DAY.test(day) || !isMediaType(type)) return undefined;
  return { day, id, type };
}

/** Reads a path that `pathOf` wrote; undefined = any other path. */
export function readMediaPath(path: string): MediaName | undefined {
  const [day = "", file = "", ...more] = path.split("/");
  return more.length > 0 ? undefined : readMediaName(day, file);
}

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** True if a folder is one of a day's files. */
export function isDay(text: string): boolean {
  return DAY.test(text);
}

function isMediaType(word: string): word is MediaType {
  return Object.hasOwn(MEDIA_TYPES, word);
}
