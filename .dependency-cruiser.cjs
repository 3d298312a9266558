/**
 * The import rules (docs/architecture.md has the same table in words). Each module may
 * import itself, the four leaves, and what its row names; `types` are imports that vanish at build.
 */
const LEAVES = ["base", "errors", "usage", "observe"];

/** module: [may import, may import types of] */
const TABLE = {
  usage: [["base"], []],
  observe: [["base", "errors", "usage"], []],
  storage: [LEAVES, []],
  conversation: [LEAVES, []],
  families: [LEAVES, []],
  queue: [LEAVES, []],
  webhooks: [[...LEAVES, "queue", "storage"], []],
  mail: [LEAVES, ["catalog", "webhooks"]],
  accounts: [[...LEAVES, "storage"], []],
  users: [[...LEAVES, "accounts", "storage"], []],
  protocols: [[...LEAVES, "conversation"], []],
  catalog: [[...LEAVES, "storage", "conversation", "protocols", "families"], ["accounts"]],
  limits: [[...LEAVES, "catalog"], ["accounts"]],
  billing: [[...LEAVES, "protocols", "catalog", "storage", "webhooks"], ["accounts"]],
  upstreams: [[...LEAVES, "protocols", "families", "catalog", "storage", "conversation"], []],
  routing: [
    [...LEAVES, "catalog", "conversation", "protocols"],
    ["accounts", "upstreams"],
  ],
  assets: [[...LEAVES, "families", "routing", "upstreams", "storage"], ["accounts"]],
  mirror: [[...LEAVES, "catalog"], ["upstreams"]],
  relay: [
    [
      ...LEAVES,
      "limits",
      "routing",
      "upstreams",
      "protocols",
      "conversation",
      "billing",
      "catalog",
      "storage",
    ],
    ["accounts"],
  ],
  tasks: [
    [
      ...LEAVES,
      "limits",
      "families",
      "assets",
      "queue",
      "routing",
      "upstreams",
      "billing",
      "catalog",
      "webhooks",
      "storage",
    ],
    ["accounts"],
  ],
  manifest: [
    [
      ...LEAVES,
      "accounts",
      "catalog",
      "upstreams",
      "billing",
      "limits",
      "families",
      "storage",
      "conversation",
    ],
    [],
  ],
  "price-lists": [[...LEAVES, "catalog", "billing", "manifest", "storage", "users"], []],
  reconcile: [[...LEAVES, "billing", "storage"], []],
  console: [
    [
      ...LEAVES,
      "accounts",
      "users",
      "catalog",
      "upstreams",
      "billing",
      "limits",
      "routing",
      "families",
      "protocols",
      "conversation",
      "assets",
      "tasks",
      "webhooks",
      "manifest",
      "price-lists",
      "reconcile",
      "storage",
    ],
    [],
  ],
  http: [
    [
      ...LEAVES,
      "relay",
      "tasks",
      "assets",
      "mirror",
      "accounts",
      "users",
      "catalog",
      "billing",
      "families",
      "console",
      "protocols",
      "conversation",
      "storage/failures",
    ],
    [],
  ],
};

const folder = (names) => `^src/(${names.join("|")})(/|\\.ts$)`;

const rules = Object.entries(TABLE)
  .map(([module, [values, types]]) => ({
    name: `${module}-imports`,
    comment: `${module} may import ${[...values, ...types.map((t) => `types of ${t}`)].join(", ")}`,
    severity: "error",
    from: { path: folder([module]), pathNot: "\\.test\\.ts$" },
    to: { path: "^src/", pathNot: [folder([module, ...values])], dependencyTypesNot: ["type-only"] },
  }))
  .concat(
    Object.entries(TABLE).map(([module, [values, types]]) => ({
      name: `${module}-types`,
      severity: "error",
      from: { path: folder([module]), pathNot: "\\.test\\.ts$" },
      to: { path: "^src/", pathNot: [folder([module, ...values, ...types])] },
    })),
  );

module.exports = {
  forbidden: [
    ...rules,
    { name: "acyclic", severity: "error", from: { pathNot: "^(node_modules|test)" }, to: { circular: true } },
    {
      name: "base-is-a-leaf",
      severity: "error",
      from: { path: "^src/base/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/", pathNot: "^src/base/" },
    },
    {
      name: "errors-on-base",
      severity: "error",
      from: { path: "^src/errors\\.ts$" },
      to: { path: "^src/", pathNot: "^src/base/" },
    },
    {
      name: "config-on-base-and-errors",
      severity: "error",
      from: { path: "^src/config\\.ts$" },
      to: { path: "^src/", pathNot: "^src/(base/|errors)" },
    },
    {
      name: "only-cli-composes",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/cli/", "^src/compose", "\\.test\\.ts$"] },
      to: { path: "^src/compose" },
    },
    {
      name: "loaded-where-wanted",
      comment:
        "the server costs every command half a second to load, the client of Redis every start a tenth of one",
      severity: "error",
      from: { path: "^src/", pathNot: "\\.test\\.ts$" },
      to: {
        path: ["^src/compose\\.ts$", "node_modules/ioredis/"],
        dependencyTypesNot: ["type-only", "dynamic-import"],
      },
    },
    {
      name: "main-on-cli-and-config",
      severity: "error",
      from: { path: "^src/main\\.ts$" },
      to: { path: "^src/", pathNot: "^src/(cli/|config\\.ts)" },
    },
    {
      name: "protocols-have-no-siblings",
      severity: "error",
      from: { path: "^src/protocols/(?!streams/|errors/)([^/]+)/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/protocols/(?!streams/|errors/)([^/]+)/", pathNot: "^src/protocols/$1/" },
    },
    {
      name: "codecs-do-not-know-the-table",
      severity: "error",
      from: { path: "^src/protocols/[^/]+/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/protocols/table\\.ts$" },
    },
    {
      name: "http-sees-protocol-faces-only",
      severity: "error",
      from: { path: "^src/http/", pathNot: "\\.test\\.ts$" },
      to: {
        path: "^src/protocols/(?!streams/|errors/)[^/]+/",
        pathNot: "^src/protocols/[^/]+/(wire|errors)\\.ts$",
      },
    },
    {
      name: "recordings-in-their-lane",
      comment:
        "recorded exchanges are no part of the project: only the tests of npm run test:recordings read them",
      severity: "error",
      from: { path: "^(src|sandbox|dashboard|bench|test)/", pathNot: "^test/(recordings|support)/" },
      to: { path: "^test/support/fixtures\\.ts$", reachable: true },
    },
    {
      name: "sandbox-shares-nothing",
      severity: "error",
      from: { path: "^(sandbox|bench)/" },
      to: { path: "^src/" },
    },
    {
      name: "runs-on-dependencies-only",
      comment: "what is installed to develop is not where the program runs: no encoder, no reader of files",
      severity: "error",
      from: { path: "^(src|sandbox/src)/", pathNot: ["\\.test\\.ts$", "^sandbox/src/testing/"] },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "dashboard-sees-types-of-contracts-only",
      comment:
        "what the pages import of the server is erased: neither zod nor anything else of it reaches a browser",
      severity: "error",
      from: { path: "^dashboard/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "dashboard-sees-contracts-only",
      severity: "error",
      from: { path: "^dashboard/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/", pathNot: "^src/(console/[^/]+/contract|errors)\\.ts$" },
    },
    {
      name: "router-only-in-http",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/http/" },
      to: { path: "node_modules/find-my-way/" },
    },
    {
      name: "undici-only-in-upstreams",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: ["^src/upstreams/", "^src/base/fetch/safe-fetch", "^src/mirror/s3-client\\.ts$"],
      },
      to: { path: "node_modules/undici/" },
    },
    {
      name: "no-barrels",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "/index\\.ts$", pathNot: "node_modules" },
    },
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".js", ".json"],
    },
  },
};
