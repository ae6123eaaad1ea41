export const given = (value: string | undefined): value is string => value !== undefined && value !== '';
