import { useState } from "react";
import type { Traffic, TrafficSlot } from "../../../../src/console/traffic/contract.ts";
import { type Liveness, useEvents } from "../../api/use-events.ts";

/** Five minutes, as the first event has them. */
const SLOTS = 150;

/** The traffic as it happens; undefined until the first event. */
export function useLiveTraffic(): readonly [traffic: Traffic | undefined, liveness: Liveness] {
  const [traffic, setTraffic] = useState<Traffic>();
  const liveness = useEvents("/operator/traffic/events", (event: Traffic) => {
    setTraffic((before) => ({ ...event, slots: joined(before?.slots ?? [], event.slots) }));
  });
  return [traffic, liveness];
}

/** Newer values of a slot take the place of older ones. */
function joined(before: readonly TrafficSlot[], newer: readonly TrafficSlot[]): TrafficSlot[] {
  const [first] = newer;
  if (first === undefined) return [...before];
  return [...before.filter(({ at }) => at < first.at), ...newer].slice(-SLOTS);
}
