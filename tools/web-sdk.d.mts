/** Of the package in a folder, by the path in `dist`. */
export function scriptsForBrowsers(
  folder: string,
): Promise<Readonly<Record<'tidings.js' | 'tidings-worker.js', string>>>;
/** @param source below `src` of the folder */
export function declarationOf(folder: string, source: string): Promise<string>;
export function isForBrowsers(options: { readonly tags: readonly string[] }): boolean;
