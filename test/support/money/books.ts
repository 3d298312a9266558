import type { Exchange } from "./exchange.ts";
import type { ModelStore, ModelUsage } from "./model-store.ts";

/** Checks the invariants of the books when all processes have drained: returns those that do not hold. */
export function checkBooks(store: ModelStore, exchanges: readonly Exchange[]): string[] {
  return [
    ...checkLedgers(store),
    ...checkJournals(store),
    ...checkRecords(store, exchanges),
    ...checkCharges(store, exchanges),
  ];
}

/** Conservation, non-negativity and no loss but of late records; holds by flush too, so it may be asked at any time. */
export function checkLedgers(store: ModelStore): string[] {
  const breaches = checkLateLines(store);
  for (const [id, { wallet, leased, funded, paid, lost }] of store.ledgers) {
    if (wallet < 0n || leased < 0n) breaches.push(`${id} is negative: wallet ${wallet}, leased ${leased}`);
    if (wallet + leased + paid !== funded + lost)
      breaches.push(
        `${id} does not add up: ${wallet} + ${leased} + ${paid} paid, ${funded} funded, ${lost} lost`,
      );
    let leases = 0n;
    let lostLate = 0n;
    for (const journal of store.journals.values()) {
      leases += journal.leases.get(id)?.amount ?? 0n;
      lostLate += journal.late.get(id)?.lost ?? 0n;
    }
    if (lost !== lostLate)
      breaches.push(`${id} cost the house ${lost}, of which lines were late for ${lostLate}`);
    if (leases !== leased) breaches.push(`${id} has ${leased} leased, in leases ${leases}`);
  }
  return breaches;
}

/**
 * The one way to lose money: others close a silent journal and return its leases, these are spent, and then records come. Such
 * lines were held before, so they cost no more than was returned; who may read them posts them before it closes.
 */
function checkLateLines(store: ModelStore): string[] {
  const breaches: string[] = [];
  for (const [id, { closedElsewhere, late }] of store.journals) {
    for (const [ledger, { returned, charged }] of late) {
      if (charged > 0n && !closedElsewhere)
        breaches.push(`journal ${id} was closed before its lines were posted`);
      if (charged > returned)
        breaches.push(`late lines of journal ${id} charge ${charged} to ${ledger}, ${returned} were leased`);
    }
  }
  return breaches;
}

function checkJournals(store: ModelStore): string[] {
  return [...store.journals].flatMap(([id, { closed, leases }]) => [
    ...(closed ? [] : [`journal ${id} was never closed`]),
    ...(leases.size > 0 ? [`journal ${id} still has leases`] : []),
  ]);
}

/** Exactly once: every promised line, every begun request of a dead process, and nothing else twice. */
function checkRecords(store: ModelStore, exchanges: readonly Exchange[]): string[] {
  const breaches: string[] = [];
  const records = new Map<string, ModelUsage[]>();
  for (const row of store.usage) records.set(row.request, [...(records.get(row.request) ?? []), row]);
  for (const { id, state, charge: decided, process } of exchanges) {
    const charge = decided();
    const found = records.get(id) ?? [];
    if (found.length > 1) breaches.push(`${id} is recorded ${found.length} times`);
    const [record] = found;
    if (state === "refused" && record) breaches.push(`${id} was refused and is recorded as ${record.reason}`);
    if (state === "settled" && record?.charge !== charge)
      breaches.push(`${id} was settled for ${charge} and is recorded with ${record?.charge}`);
    if (state === "begun" && !process.alive && record?.reason !== "interrupted")
      breaches.push(`${id} died with its process and is recorded as ${record?.reason}`);
    if (record && record.reason !== "interrupted" && record.charge !== charge)
      breaches.push(`${id} cost ${charge} and was charged ${record.charge}`);
    if (record && record.charge > record.hold)
      breaches.push(`${id} was charged ${record.charge} of ${record.hold} held`);
  }
  return breaches;
}

/** Each ledger paid what its requests are recorded with. */
function checkCharges(store: ModelStore, exchanges: readonly Exchange[]): string[] {
  const recorded = new Map<string, bigint>();
  const ledgersById = new Map(exchanges.map(({ id, ledgers }) => [id, ledgers]));
  for (const { request, charge } of store.usage)
    for (const ledger of ledgersById.get(request) ?? [])
      recorded.set(ledger, (recorded.get(ledger) ?? 0n) + charge);
  return [...store.ledgers].flatMap(([id, { paid }]) =>
    paid === (recorded.get(id) ?? 0n) ? [] : [`${id} paid ${paid}, recorded are ${recorded.get(id) ?? 0n}`],
  );
}
