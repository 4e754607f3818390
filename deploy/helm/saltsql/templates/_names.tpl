{{- define "saltsql.labels" -}}
app.kubernetes.io/name: saltsql
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
