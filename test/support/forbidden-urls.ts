/**
 * URLs that all lead to the machine or its network, in every spelling that got past some filter
 * somewhere. `port` is a canary's: whatever connects there has been fooled.
 */
export function forbiddenUrls(port: number): readonly string[] {
  return [
    ...HOSTS.map((host) => `http://${host}:${port}/secret.png`),
    ...ODD.map((url) => url.replaceAll("PORT", String(port))),
    ...SCHEMES.map((url) => url.replaceAll("PORT", String(port))),
  ];
}

/** The answers of a hostile or a careless zone for the names among them, and for all other names. */
export function hostileLookup(host: string): readonly string[] {
  return NAMES[host] ?? ["127.0.0.1"];
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  "loopback.example": ["127.0.0.1"],
  "loopback6.example": ["::1"],
  "mixed.example": ["93.184.216.34", "127.0.0.1"],
  "mixed-last.example": ["127.0.0.1", "93.184.216.34"],
  "mixed6.example": ["2606:2800:220:1::1", "::1"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "mapped-hex.example": ["::ffff:7f00:1"],
  "nat64.example": ["64:ff9b::7f00:1"],
  "nat64-ten.example": ["64:ff9b::10.0.0.1"],
  "private.example": ["10.1.2.3"],
  "private172.example": ["172.31.255.254"],
  "private192.example": ["192.168.0.1"],
  "cgnat.example": ["100.64.0.1"],
  "metadata.example": ["169.254.169.254"],
  "unique-local.example": ["fd00:ec2::254"],
  "link-local6.example": ["fe80::1"],
  "unspecified.example": ["0.0.0.0"],
  "unspecified6.example": ["::"],
  "multicast.example": ["224.0.0.1"],
  "broadcast.example": ["255.255.255.255"],
  "nothing.example": [],
  "garbage.example": ["not an address"],
  "zone.example": ["fe80::1%lo"],
  // Names of the machine's own network, as its resolver would answer them.
  metadata: ["169.254.169.254"],
  "metadata.google.internal": ["169.254.169.254"],
  "instance-data": ["169.254.169.254"],
  kubernetes: ["10.96.0.1"],
  "kubernetes.default.svc": ["10.96.0.1"],
  "host.docker.internal": ["172.17.0.1"],
  "ip6-localhost": ["::1"],
  "localhost.localdomain": ["127.0.0.1"],
  "127.0.0.1.nip.example": ["127.0.0.1"],
  "7f000001.rebind.example": ["127.0.0.1"],
};

const HOSTS: readonly string[] = [
  ...Object.keys(NAMES),
  "bücher.example",
  // Full names end in a dot; letters may be of any case.
  "loopback.example.",
  "LOOPBACK.EXAMPLE",
  "metadata.google.internal.",
  // The machine by its name.
  ...["localhost", "localhost.", "LOCALHOST", "LocalHost", "%6cocalhost", "l%6fcalhost", "localhost%2e"],
  ...[
    "a.localhost",
    "a.b.localhost.",
    "ｌｏｃａｌｈｏｓｔ",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "localhost。",
    "127.0.0.1.localhost",
  ],
  // Loopback in dotted, short, decimal, octal and hexadecimal forms.
  ...["127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "127.1.", "127.127.127.127", "127.255.255.254"],
  ...["2130706433", "0x7f000001", "0x7F000001", "017700000001", "0177.0.0.1", "0177.0.01", "0177.1"],
  ...["0x7f.0.0.1", "0x7f.1", "0x7f.0x0.0x0.0x1", "127.0x1", "127.0.0.01", "00000177.0.0.1", "127.0.1.0"],
  // Percent-encoded, and digits and dots of other scripts.
  ...["127%2e0%2e0%2e1", "%31%32%37.0.0.1", "127.0.0.%31", "%30x7f.1", "127。0。0。1", "127．0．0．1"],
  ...["１２７.0.0.1", "①②⑦.⓪.⓪.①", "𝟭𝟮𝟳.𝟬.𝟬.𝟭", "𝟷𝟸𝟽.1", "127｡0｡0｡1", "127.0.0.1%20", "127.0.0.1%00"],
  // This network, private networks, CGNAT, link-local, metadata of clouds, reserved, multicast.
  ...["0.0.0.0", "0", "0.0", "0x0", "00", "0.1.2.3", "10.0.0.1", "10.255.255.255", "167772161", "012.1"],
  ...["172.16.0.1", "172.31.255.255", "2886729729", "192.168.1.1", "192.168.257", "3232235777"],
  ...["100.64.0.1", "100.127.255.254", "100.100.100.200", "169.254.169.254", "169.254.170.2", "2852039166"],
  ...["0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "169.16689662", "168.63.129.16", "192.0.0.192"],
  ...[
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "192.88.99.1",
    "224.0.0.1",
    "239.255.255.250",
  ],
  ...["240.0.0.1", "255.255.255.255", "4294967295"],
  // v6: loopback, unspecified, mapped, compatible, translated, NAT64, 6to4, Teredo, local, multicast, documentation.
  ...["[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::]", "[0::0]", "[::127.0.0.1]", "[::7f00:1]"],
  ...["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:7F00:0001]", "[0:0:0:0:0:ffff:127.0.0.1]"],
  ...["[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]", "[::ffff:0.0.0.0]", "[::ffff:0:127.0.0.1]"],
  ...["[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b::10.0.0.1]"],
  ...[
    "[64:ff9b:1::7f00:1]",
    "[64:ff9b:1::808:808]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2002:808:808::1]",
  ],
  ...[
    "[2001:0:7f00:1::]",
    "[2001::1]",
    "[2001:db8::1]",
    "[2001:10::1]",
    "[2001:20::1]",
    "[3fff::1]",
    "[5f00::1]",
  ],
  ...["[fe80::1]", "[fec0::1]", "[fc00::1]", "[fd00::1]", "[fd00:ec2::254]", "[fd20:ce::254]", "[ff02::1]"],
  ...["[ff0e::1]", "[100::1]", "[4000::1]", "[8000::1]", "[e000::1]", "[fe80::1%25lo]", "[::1%25lo]"],
];

/** Tricks with the other parts of a URL. */
const ODD: readonly string[] = [
  "http://example.com@127.0.0.1:PORT/",
  "http://example.com:80@127.0.0.1:PORT/",
  "http://user:pass@127.0.0.1:PORT/",
  "http://127.0.0.1:PORT@loopback.example/",
  "http://example.com%40127.0.0.1:PORT/",
  "http://127.0.0.1:PORT#@example.com/",
  "http://127.0.0.1:PORT?@example.com/",
  "http://127.0.0.1:PORT\\@example.com/",
  "http:\\\\127.0.0.1:PORT\\",
  "http:/127.0.0.1:PORT/",
  "http:127.0.0.1:PORT/",
  "http:////127.0.0.1:PORT/",
  "  http://127.0.0.1:PORT/  ",
  "ht\ntp://127.0.0.1:PORT/",
  "http://127.0.\t0.1:PORT/",
  "http://127.0.0.1\r\n:PORT/",
  "HTTP://127.0.0.1:PORT/",
  "https://127.0.0.1:PORT/",
  "https://[::1]:PORT/",
  "https://localhost:PORT/",
  "http://@127.0.0.1:PORT/",
  "http://127.0.0.1:PORT/x?url=https://example.com/",
  "http://loopback.example:PORT/https://example.com/",
  "http://127.0.0.1:0PORT/",
  "http://127.0.0.1:PORT/\r\nHost: example.com",
  "//127.0.0.1:PORT/",
  "127.0.0.1:PORT/",
  "localhost:PORT/x.png",
];

const SCHEMES: readonly string[] = [
  "ftp://127.0.0.1:PORT/x",
  "gopher://127.0.0.1:PORT/_GET%20/",
  "dict://127.0.0.1:PORT/d:x",
  "ws://127.0.0.1:PORT/",
  "wss://127.0.0.1:PORT/",
  "file:///etc/passwd",
  "file://127.0.0.1:PORT/x",
  "jar:http://127.0.0.1:PORT/!/x",
  "blob:http://127.0.0.1:PORT/x",
  "view-source:http://127.0.0.1:PORT/",
  "ldap://127.0.0.1:PORT/",
  "tftp://127.0.0.1:PORT/",
  "javascript:fetch('http://127.0.0.1:PORT')",
  "about:blank",
  "unix:/var/run/docker.sock",
  "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
  "",
  "http://",
  "http://:PORT/",
  "https:///",
  "http://[::1/",
  "http://127.0.0.1:99999/",
];
