/** Hosts whose parts belong to different people. */
const shared =
  /(?:^|\.)(?:github\.io|gitlab\.io|pages\.dev|workers\.dev|vercel\.app|netlify\.app|herokuapp\.com|web\.app|blogspot\.com|s3\.amazonaws\.com)$/;
const ownEndings = /(?:^|\.)[^.]+\.(?:(?:com?|org|net|edu|gov|ac)\.[a-z]{2}|[a-z-]+)$/;

/** The part of a host that one owner has: `www.nytimes.com` is `nytimes.com`. */
const ownerOf = (host: string) => (shared.test(host) ? host : (ownEndings.exec(host)?.[0].replace(/^\./, '') ?? host));

/** Endings of addresses that are written without `https://`; `Node.js` and `main.rs` are names of other things. */
const ending =
  /\.(?:com|org|net|edu|gov|io|co|ai|app|dev|info|biz|me|eu|uk|de|fr|es|it|nl|ch|at|be|se|no|dk|fi|pt|cz|ru|ua|cn|jp|kr|in|br|au|ca|us|mx|za|tr|tv|xyz|online|site|shop|bank)$/;
/** Products that are called like an address. */
const product = /^(?:asp|ado|vb|ml|paint)\.net$/i;
const inCapitals = /\.(?:NET|IO|AI)$/;

/** Characters that show nothing: a label with some in it reads as the address without them. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

function namedHost(label: string): string | undefined {
  const found = /^\s*(https?:\/\/)?((?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]{2,})\.?(?::\d+)?(?:[/?#]\S*)?\s*$/iu.exec(
    label.replace(invisible, ''),
  );
  const [, scheme, written] = found ?? [];
  if (written === undefined) return undefined;
  const host = written.toLowerCase();
  const isBare = scheme === undefined && !host.startsWith('www.');
  if (isBare && (!ending.test(host) || product.test(written) || inCapitals.test(written))) return undefined;
  return URL.canParse(`https://${host}`) ? new URL(`https://${host}`).host : host;
}

/** True if the label is itself an address with another owner than the link's target. */
export function isMisleadingLabel(label: string, href: string): boolean {
  const { hostname, protocol } = new URL(href);
  const named = protocol === 'mailto:' ? undefined : namedHost(label);
  return named !== undefined && ownerOf(named) !== ownerOf(hostname.replace(/\.$/, ''));
}
