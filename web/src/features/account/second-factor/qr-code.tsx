import encodeQR from 'qr';

/** One square per dark module, as a path. */
function pathOf(text: string): { path: string; size: number } {
  const rows = encodeQR(text, 'raw', { border: 2, ecc: 'low' });
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return { path, size: rows.length };
}

/** Dark on white in every theme: cameras read nothing else reliably. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = pathOf(text);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 shrink-0 rounded-md bg-white"
    >
      <path d={path} fill="#000000" />
    </svg>
  );
}
