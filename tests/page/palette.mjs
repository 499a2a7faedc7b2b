// How far apart colours look (CIE 1976 Delta E) to normal and to colour-blind eyes. The matrices are
// Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB; contrast is WCAG 2's.
const visions = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const linear = (colour) => (colour.length === 4 ? colour.replace(/[\da-f]/gi, '$&$&') : colour).match(/[\da-f]{2}/gi)
  .map((pair) => parseInt(pair, 16) / 255)
  .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
const dot = (row, rgb) => row.reduce((sum, weight, index) => sum + weight * rgb[index], 0);
const luminance = (colour) => dot([0.2126, 0.7152, 0.0722], linear(colour));

export function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function lab(rgb) {
  const seen = rgb.map((part) => Math.min(1, Math.max(0, part)));
  const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f(dot([0.4124, 0.3576, 0.1805], seen) / 0.95047);
  const y = f(dot([0.2126, 0.7152, 0.0722], seen));
  const z = f(dot([0.0193, 0.1192, 0.9505], seen) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** The two colours that look most alike, and to whom. */
export function closestPair(colours) {
  let closest = { distance: Infinity };
  for (const [vision, matrix] of Object.entries(visions)) {
    const seen = colours.map((colour) => lab(matrix.map((row) => dot(row, linear(colour)))));
    seen.forEach((a, i) => seen.slice(i + 1).forEach((b, j) => {
      const distance = Math.hypot(...a.map((part, k) => part - b[k]));
      if (distance < closest.distance) closest = { distance, vision, pair: [colours[i], colours[i + 1 + j]] };
    }));
  }
  return closest;
}
