//! What a status other than success means. The text of an error is read for its code and dropped: it may quote key and prompt.

use crate::fault::FaultKind;
use serde_json::Value;
use std::time::Duration;

/// What a provider means by a status and the body that came with it.
pub(crate) fn fault(status: u16, body: &[u8], retry_after: Option<Duration>) -> FaultKind {
    if (300..400).contains(&status) {
        return FaultKind::Redirected { status };
    }
    let error = serde_json::from_slice::<Value>(body).unwrap_or_default();
    if let Some(kind) = by_code(&error).or_else(|| of_google(&error)) {
        return kind;
    }
    let retry_after = retry_after.or_else(|| delay(&error));
    match status {
        401 | 403 => FaultKind::Auth { status },
        402 => FaultKind::Quota,
        404 => FaultKind::ModelUnknown,
        413 => FaultKind::ContextExceeded,
        429 => FaultKind::RateLimited { retry_after },
        503 | 529 if retry_after.is_some() => FaultKind::RateLimited { retry_after },
        408 | 425 | 500.. => FaultKind::Overloaded { status },
        _ => FaultKind::BadRequest { status },
    }
}

/// An error in the middle of a stream, whose status was success.
pub(crate) fn in_stream(error: &Value) -> FaultKind {
    if let Some(kind) = by_code(error) {
        return kind;
    }
    let status = |field: &str| error.get("error").and_then(|inner| inner.get(field)).or_else(|| error.get(field));
    match status("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok()) {
        Some(429) => FaultKind::RateLimited { retry_after: None },
        Some(status @ 500..) => FaultKind::Overloaded { status },
        _ => match ["code", "type", "status"].iter().find_map(|field| status(field).and_then(Value::as_str)) {
            Some("rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED") => {
                FaultKind::RateLimited { retry_after: None }
            }
            Some("api_error" | "timeout_error" | "server_error" | "UNAVAILABLE" | "INTERNAL") => {
                FaultKind::Overloaded { status: 500 }
            }
            _ => FaultKind::CutStream,
        },
    }
}

/// What the codes say that providers publish: OpenAI's and llama.cpp's `code` and `type`, Anthropic's `type`, Google's `status`.
fn by_code(error: &Value) -> Option<FaultKind> {
    let inner = match error.get("error") {
        Some(inner) if inner.is_object() => inner,
        _ => error,
    };
    ["code", "type", "status"]
        .iter()
        .find_map(|field| match inner.get(*field)?.as_str()? {
            "insufficient_quota" | "billing_error" | "billing_hard_limit_reached" => Some(FaultKind::Quota),
            "context_length_exceeded" | "exceed_context_size_error" => Some(FaultKind::ContextExceeded),
            "invalid_api_key"
            | "authentication_error"
            | "permission_error"
            | "UNAUTHENTICATED"
            | "PERMISSION_DENIED" => Some(FaultKind::Auth { status: 401 }),
            "model_not_found" | "not_found_error" | "NOT_FOUND" => Some(FaultKind::ModelUnknown),
            "overloaded_error" => Some(FaultKind::Overloaded { status: 529 }),
            _ => None,
        })
        .or_else(|| in_words(inner.get("message").and_then(Value::as_str)?))
}

/// Google says in the details that a key is wrong.
fn of_google(error: &Value) -> Option<FaultKind> {
    let wrong = |detail: &Value| detail.get("reason").and_then(Value::as_str) == Some("API_KEY_INVALID");
    details(error).iter().any(wrong).then_some(FaultKind::Auth { status: 401 })
}

/// Google says in the details how long to wait: `34s`, `1.5s`.
fn delay(error: &Value) -> Option<Duration> {
    let text = details(error).iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds = text.strip_suffix('s')?.parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn details(error: &Value) -> &[Value] {
    error.pointer("/error/details").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Providers that have no code for it say so in words.
fn in_words(message: &str) -> Option<FaultKind> {
    let message = message.to_ascii_lowercase();
    if message.contains("credit balance is too low") {
        return Some(FaultKind::Quota);
    }
    let said = [
        "prompt is too long",
        "maximum context length",
        "exceeds the maximum number of tokens",
        "exceed context limit",
        "exceeds the available context size",
    ];
    said.iter().any(|words| message.contains(words)).then_some(FaultKind::ContextExceeded)
}
