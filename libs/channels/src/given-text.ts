/** Whether a text is given: an empty one is not. */
export const given = (value: string | undefined): value is string => value !== undefined && value !== '';
