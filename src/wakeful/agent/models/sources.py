"""Which providers are asked for their models: those that the operator has configured."""

from wakeful.agent.models.entry import ModelSource
from wakeful.agent.models.model_list import EndpointModels
from wakeful.agent.providers.openai.provider import EndpointSettings
from wakeful.agent.providers.registry import ProviderSettings


def model_sources(settings: ProviderSettings, default: str) -> list[ModelSource]:
    """`default` is the configured model. Somebody who uses the demonstration model alone has asked for no network."""
    endpoint = settings.openai
    is_configured = bool(endpoint.api_key) or endpoint.base_url != EndpointSettings().base_url
    if is_configured or default.startswith("openai:"):
        return [EndpointModels("openai", endpoint)]
    return []
