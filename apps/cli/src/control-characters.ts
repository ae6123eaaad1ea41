const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Terminals obey control characters, and a hwid may contain them. */
export const withoutControls = (text: string): string => text.replaceAll(/(?!\n)\p{Cc}/gu, escaped);

export const inOneLine = (text: string): string => text.replaceAll(/\p{Cc}/gu, escaped);
