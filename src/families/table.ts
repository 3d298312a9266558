import { FAMILY_NAMES, type Family, type FamilyName } from "./family.ts";
import { imagegen } from "./imagegen.ts";
import { videoa } from "./videoa.ts";
import { videob } from "./videob.ts";
import { videoc } from "./videoc.ts";

export const FAMILIES: Readonly<Record<FamilyName, Family>> = { imagegen, videoa, videob, videoc };

/** Returns the family with this name; undefined = there is none. */
export function familyOf(name: string): Family | undefined {
  const known = FAMILY_NAMES.find((each) => each === name);
  return known && FAMILIES[known];
}
