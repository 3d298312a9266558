/**
 * What a picture or video consumed, in the units it is priced by. Words are those of the price book in
 * lower case: tiers ("1k", "2k", "4k") and resolutions ("720p", "768p").
 */
export interface MediaUnits {
  /** Pictures by tier. */
  readonly images?: Readonly<Record<string, number>>;
  /** Whole seconds of video by resolution; parts of a second round up. */
  readonly videoSeconds?: Readonly<Record<string, number>>;
}
