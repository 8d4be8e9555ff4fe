/** Hosts whose subdomains belong to different owners. */
const shared =
  /(?:^|\.)(?:github\.io|gitlab\.io|pages\.dev|workers\.dev|vercel\.app|netlify\.app|herokuapp\.com|web\.app|blogspot\.com|s3\.amazonaws\.com)$/;
const ownEndings = /(?:^|\.)[^.]+\.(?:(?:com?|org|net|edu|gov|ac)\.[a-z]{2}|[a-z-]+)$/;

/** The registrable part of a host: `nytimes.com` of `www.nytimes.com`. */
const ownerOf = (host: string) => (shared.test(host) ? host : (ownEndings.exec(host)?.[0].replace(/^\./, '') ?? host));

/** Top-level domains recognized without `https://`. Others are ambiguous: `Node.js` and `main.rs` name other things. */
const ending =
  /\.(?:com|org|net|edu|gov|io|co|ai|app|dev|info|biz|me|eu|uk|de|fr|es|it|nl|ch|at|be|se|no|dk|fi|pt|cz|ru|ua|cn|jp|kr|in|br|au|ca|us|mx|za|tr|tv|xyz|online|site|shop|bank)$/;
/** Product names that look like domains. */
const product = /^(?:asp|ado|vb|ml|paint)\.net$/i;
const inCapitals = /\.(?:NET|IO|AI)$/;

/** Invisible characters, which are ignored when comparing a label. */
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

/** True if the label is itself an address whose owner differs from the target's. */
export function isMisleadingLabel(label: string, href: string): boolean {
  const { hostname, protocol } = new URL(href);
  const named = protocol === 'mailto:' ? undefined : namedHost(label);
  return named !== undefined && ownerOf(named) !== ownerOf(hostname.replace(/\.$/, ''));
}
