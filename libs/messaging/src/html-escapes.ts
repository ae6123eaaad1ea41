const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The entity of each character of HTML markup, by its code. */
export const htmlEntities: ReadonlyMap<number, string> = new Map(
  Object.entries(entities).map(([character, entity]) => [character.charCodeAt(0), entity]),
);

/** A text as content of an element or of a quoted attribute. */
export const htmlEscaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);
