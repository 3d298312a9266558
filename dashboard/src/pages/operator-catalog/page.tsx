import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { FileView } from "./import.tsx";
import { ListedPrices } from "./listed-prices.tsx";
import { ModelList } from "./models.tsx";
import { UnpricedUsage } from "./unpriced-usage.tsx";
import { catalogWords } from "./words.ts";

/** What is sold, to whom, at which price. */
export function OperatorCatalogPage(): ReactNode {
  const t = useWords(catalogWords);
  const tab = useTab(["models", "prices", "unpriced", "file"]);
  return (
    <Page title={t.title} lead={t.lead}>
      <Tabs
        label={t.views}
        tabs={[
          ["models", t.models],
          ["prices", t.priceList],
          ["unpriced", t.unpriced],
          ["file", t.file],
        ]}
      />
      {VIEWS[tab]}
    </Page>
  );
}

const VIEWS = {
  models: <ModelList />,
  prices: <ListedPrices />,
  unpriced: <UnpricedUsage />,
  file: <FileView />,
};
