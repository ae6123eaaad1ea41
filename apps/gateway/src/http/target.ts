/** A proxy request carries the absolute form. */
export const originForm = (url: string): string =>
  url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*\/?/i, '/');

export function pathOf(url: string): string {
  const query = url.indexOf('?');
  const given = query < 0 ? url : url.slice(0, query);
  const path = given.includes('%') ? given.replace(/%3a/gi, ':') : given;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function isDecodable(segment: string): boolean {
  try {
    decodeURIComponent(segment);
    return true;
  } catch {
    return false;
  }
}

/** Routers refuse a percent sign that escapes nothing. */
const withValidEscapes = (path: string): string =>
  !path.includes('%') || isDecodable(path)
    ? path
    : path.replace(/[^/]+/g, (segment) => (isDecodable(segment) ? segment : segment.replaceAll('%', '%25')));

export function routedTarget(target: string): string {
  const url = originForm(target);
  const query = url.indexOf('?');
  // Routers take a number sign for the end of the path.
  const path = withValidEscapes(pathOf(url)).replaceAll('#', '%23');
  return path + (query < 0 ? '' : url.slice(query));
}

export const parametersOf = (query: string): Record<string, string> => Object.fromEntries(new URLSearchParams(query));

export const ANY_TYPE = 'application/octet-stream';
