interface Fields {
  readonly sms_file_urls?: readonly string[] | undefined;
}

export const smsContent = ({ sms_file_urls: urls }: Fields) => ({ fileUrls: urls && [...urls] });
