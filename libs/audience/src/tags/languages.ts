const FORM = /^[a-z]{2,3}$/;

/** Lower case, without region; undefined if invalid (R-RES4). */
export function parseLanguage(input: string): string | undefined {
  const language = (/^[^-_]*/.exec(input)?.[0] ?? '').toLowerCase();
  return FORM.test(language) ? language : undefined;
}

export const MIN_TIMEZONE_SECONDS = -43_200;
export const MAX_TIMEZONE_SECONDS = 50_400;

export const isTimezone = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= MIN_TIMEZONE_SECONDS && seconds <= MAX_TIMEZONE_SECONDS;
