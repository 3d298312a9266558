import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { useWords } from "../../words/use-words.ts";
import { Losses } from "./losses.tsx";
import { MarginsOfText } from "./margins.tsx";
import { Quarantine } from "./quarantine.tsx";
import { VendorCosts } from "./vendor-costs.tsx";
import { Verify } from "./verify.tsx";
import { operatorLedgerWords } from "./words.ts";
import { WriteOffs } from "./write-offs.tsx";

/** The ledger: sums, losses and records that need attention. */
export function OperatorLedgerPage(): ReactNode {
  const t = useWords(operatorLedgerWords);
  return (
    <Page title={t.title} lead={t.lead}>
      <Verify />
      <Losses />
      <WriteOffs />
      <Quarantine />
      <MarginsOfText />
      <VendorCosts />
    </Page>
  );
}
