{{/* A rule's peers, or none for any. Takes a direction (from, to) and peers. */}}
{{- define "tidings.peers" -}}
{{- with .peers }}
{{ $.direction }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Egress that a program needs beside its calls. Takes root and workload. */}}
{{- define "tidings.egress" -}}
{{- $policy := .root.Values.networkPolicy -}}
- ports: [{ protocol: UDP, port: 53 }, { protocol: TCP, port: 53 }]
  {{- include "tidings.peers" (dict "direction" "to" "peers" $policy.dns) | trim | nindent 2 }}
- ports: [{{ range $i, $port := $policy.kafka.ports }}{{ if $i }}, {{ end }}{ protocol: TCP, port: {{ $port }} }{{ end }}]
  {{- include "tidings.peers" (dict "direction" "to" "peers" $policy.kafka.to) | trim | nindent 2 }}
{{- if .workload.store }}
- ports: [{{ range $i, $port := $policy.mongodb.ports }}{{ if $i }}, {{ end }}{ protocol: TCP, port: {{ $port }} }{{ end }}]
  {{- include "tidings.peers" (dict "direction" "to" "peers" $policy.mongodb.to) | trim | nindent 2 }}
{{- end }}
{{- $environment := .root.Values.environment }}
{{- if or $environment.OTEL_EXPORTER_OTLP_ENDPOINT $environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT }}
- ports: [{{ range $i, $port := $policy.traces.ports }}{{ if $i }}, {{ end }}{ protocol: TCP, port: {{ $port }} }{{ end }}]
  {{- include "tidings.peers" (dict "direction" "to" "peers" $policy.traces.to) | trim | nindent 2 }}
{{- end }}
{{- if .workload.outbound }}
{{- with concat ($policy.outbound | default list) ($policy.outboundPrivate | default list) }}
- to:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end }}
{{- end -}}
