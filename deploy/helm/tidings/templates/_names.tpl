{{/* Names and labels. */}}
{{- define "tidings.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "tidings.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "tidings.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Labels that every object of the release shares. */}}
{{- define "tidings.commonLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ default .Chart.AppVersion .Values.image.tag | trunc 63 | quote }}
app.kubernetes.io/part-of: tidings
{{- end -}}

{{/* Labels that select the pods of a program: of all its channels, unless a channel is given. Takes root, program and channel. */}}
{{- define "tidings.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .program }}
{{- with .channel }}
tidings-channel: {{ . }}
{{- end }}
{{- end -}}

{{/* Labels of an object: takes what tidings.selector takes. */}}
{{- define "tidings.labels" -}}
{{ include "tidings.selector" . }}
{{ include "tidings.commonLabels" .root }}
{{- end -}}

{{/* The image of an app: takes root and app. */}}
{{- define "tidings.image" -}}
{{- $image := .root.Values.image -}}
{{- with $image.registry }}{{ . }}/{{ end -}}
{{- with $image.prefix }}{{ . }}/{{ end -}}
{{ .app }}:{{ default .root.Chart.AppVersion $image.tag }}
{{- end -}}
