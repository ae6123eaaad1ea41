export type Tags = Readonly<Record<string, string | number>>;

const formats: Readonly<Record<string, (text: string) => string>> = {
  CapitalizeFirst: (text) => text.charAt(0).toUpperCase() + text.slice(1),
  Uppercase: (text) => text.toUpperCase(),
};

/** Placeholders are `{{Tag|Format|default}}`. */
export function compile(text: string): (tags: Tags) => string {
  const parts = text.split(/\{\{([^|{}]+)\|([^|{}]*)\|([^|{}]*)\}\}/);
  return (tags) => {
    let filled = parts[0]!;
    for (let i = 1; i < parts.length; i += 4) {
      const value = tags[parts[i]!];
      filled += value === undefined ? parts[i + 2]! : (formats[parts[i + 1]!]?.(String(value)) ?? String(value));
      filled += parts[i + 3]!;
    }
    return filled;
  };
}
