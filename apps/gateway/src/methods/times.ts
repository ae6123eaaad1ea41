export function rfc3339(date: Date): string;
export function rfc3339(date: Date | undefined): string | null;
export function rfc3339(date: Date | undefined): string | null {
  return date ? `${date.toISOString().slice(0, 19)}Z` : null;
}

export const listedDate = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ');
