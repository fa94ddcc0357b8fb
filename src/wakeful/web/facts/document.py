"""Describes the routes of facts about the caller and the server."""

from wakeful.web.facts.costs import SessionCosts
from wakeful.web.facts.me import Me
from wakeful.web.facts.models import ModelChoices
from wakeful.web.facts.skills import ShownSkills, SkillsQuery
from wakeful.web.facts.usage import UsageQuery, UsageReport
from wakeful.web.fields import OfSession
from wakeful.wire.openapi import Family, json_answer, operation
from wakeful.wire.refusals import refusals
from wakeful.wire.schema import Json, parameters

PATHS: dict[str, dict[str, Json]] = {
    "/api/me": {
        "get": operation(
            "getMe", "Get the caller and the server", {200: json_answer("You and the server.", Me), **refusals(503)}
        ),
    },
    "/api/models": {
        "get": operation(
            "listModelChoices",
            "List the models that a session can use",
            {200: json_answer("The models known now.", ModelChoices), **refusals(503)},
        ),
    },
    "/api/skills": {
        "get": operation(
            "listSkills",
            "List the skills of a session's agent",
            {200: json_answer("The skills, by name.", ShownSkills), **refusals(400, 404, 503)},
            words="A skill with an `error` is left out of the system prompt.",
            parameters=parameters(SkillsQuery, "query"),
        ),
    },
    "/api/usage": {
        "get": operation(
            "getUsage",
            "Get what answers cost, day by day",
            {200: json_answer("The days, oldest first, and the caps.", UsageReport), **refusals(400, 503)},
            parameters=parameters(UsageQuery, "query"),
        ),
    },
    "/api/session/costs": {
        "get": operation(
            "getSessionCosts",
            "Get what the answers of a session have cost, by what was paid for",
            {200: json_answer("The costs.", SessionCosts), **refusals(400, 404, 503)},
            parameters=parameters(OfSession, "query"),
        ),
    },
}

FAMILY = Family("Facts", "The caller, the server, the models and what they cost.", PATHS)
